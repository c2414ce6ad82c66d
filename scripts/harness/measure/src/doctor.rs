//! Checks whether this machine is fit to measure, and says what to fix and how. Changes nothing.

use std::path::Path;

use serde::Serialize;

use apps::cargo;
use machine::affinity;
use machine::confine;
use machine::cpus::{Split, Topology};
use machine::environment;
use machine::environment::version_of;
use machine::essentials;
use machine::split::candidates;
use machine::tuning::KernelSetting;
use machine::{limits, load, quota, tuning};
use servers::database::Programs;

/// The most connections of any scenario; limits are checked for that number.
const MOST_CONNECTIONS: u32 = 512;
/// Load average, per cpu, of a machine at rest.
const AT_REST: f64 = 0.2;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What was checked.
    pub subject: String,
    /// What was found.
    pub found: String,
    /// How good that is.
    pub state: Grade,
    /// What to do about it; empty if nothing.
    pub remedy: String,
}

/// How good a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// As it should be.
    Good,
    /// Figures will be less certain or less comparable, or something cannot be done here.
    Doubtful,
    /// Nothing can be measured.
    Bad,
}

/// Checks everything. `root` is the repository.
pub fn examine(root: &Path) -> Vec<Finding> {
    let mut findings = vec![cpus_found(), busy(), files()];
    let essentials = [
        ("temporary files", essentials::temporary_files()),
        ("loopback", essentials::loopback()),
    ];
    findings.extend(essentials.map(|(subject, found)| match found {
        Ok(()) => good(subject, "as needed"),
        Err(reason) => {
            let (found, remedy) = reason.rsplit_once("; ").unwrap_or((&reason, ""));
            bad(subject, found, remedy)
        }
    }));
    findings.extend(tuning::look(Path::new("/")).iter().map(setting));
    let described = environment::describe(
        &Topology::of_this_machine().all_serving(),
        0.0,
        String::new(),
        String::new(),
    );
    let details = described.cpu.map_or(String::new(), |cpu| format!(": {cpu}"));
    findings.push(good("cpu", format!("{}{details}", described.cpu_model)));
    findings.push(match described.virtualisation {
        Some(kind) => doubtful(
            "virtualisation",
            kind,
            "measure on a machine of your own to compare runs of different days",
        ),
        None => good("virtualisation", "none seen"),
    });
    findings.push(match confine::gaps(&described.confined) {
        Some(gaps) => doubtful("confinement", "not of everything", gaps),
        None => good("confinement", "servers cannot touch others"),
    });
    findings.push(if quota::is_available() {
        good("cpu time of servers", "can be limited")
    } else {
        let (found, remedy) = quota::MISSING.rsplit_once(": ").unwrap_or_default();
        doubtful("cpu time of servers", found, remedy)
    });
    findings.push(memory(described.memory_bytes, environment::memory()));
    findings.push(postgres(Programs::search(None)));
    let rustup = "to build here, install Rust with rustup (https://rustup.rs)";
    let compiler = "to build here: sudo apt-get install build-essential"; // some dependencies of the apps compile C
    let for_builds = |how| format!("fine for what `bench build` handed over; {how}");
    let git = "without git a record does not say of which commit it is";
    findings.push(match cargo::rustc(root) {
        Ok(version) => good("rustc", version),
        Err(reason) => doubtful("rustc", reason.to_string(), for_builds(rustup)),
    });
    let tools = [
        ("cargo", "cargo", for_builds(rustup)),
        ("C compiler", "cc", for_builds(compiler)),
        ("git", "git", git.to_owned()),
    ];
    findings.extend(
        tools.map(|(name, program, remedy)| match version_of(Path::new(program), root) {
            Ok(version) => good(name, version),
            Err(reason) => doubtful(name, format!("{program}: {reason}"), remedy),
        }),
    );
    findings.push(match cargo::foreign_settings(root).join(", ") {
        settings if settings.is_empty() => good("builds", "as the repository says"),
        settings => doubtful(
            "builds",
            settings,
            "unset these: they reach the build of every server, and figures are not comparable with published ones",
        ),
    });
    findings.extend(
        environment::commit(root)
            .err()
            .map(|reason| doubtful("commit", reason.to_string(), git)),
    );
    findings
}

/// What may be used, of what the machine has, in bytes.
fn memory(usable: u64, machine: u64) -> Finding {
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let mut found = format!("{:.1} GiB", gib(usable));
    if usable < machine {
        found = format!(
            "{found}, the limit of its control group; the machine has {:.1} GiB",
            gib(machine)
        );
    }
    match gib(usable) {
        ..2.0 => doubtful("memory", found, "2 GiB are needed to build the apps"),
        _ => good("memory", found),
    }
}

fn postgres(found: anyhow::Result<Option<Programs>>) -> Finding {
    match found {
        Ok(Some(found)) => good("PostgreSQL", format!("{} in {}", found.version, found.folder.display())),
        Ok(None) => doubtful(
            "PostgreSQL",
            "none",
            "scenarios with a database need one (Debian and Ubuntu: apt-get install postgresql); all others do not",
        ),
        Err(error) => doubtful("PostgreSQL", "none that can be used", error.to_string()),
    }
}

fn good(subject: &str, found: impl Into<String>) -> Finding {
    finding(subject, Grade::Good, found, "")
}

fn doubtful(subject: &str, found: impl Into<String>, remedy: impl Into<String>) -> Finding {
    finding(subject, Grade::Doubtful, found, remedy)
}

fn bad(subject: &str, found: impl Into<String>, remedy: impl Into<String>) -> Finding {
    finding(subject, Grade::Bad, found, remedy)
}

fn finding(subject: &str, state: Grade, found: impl Into<String>, remedy: impl Into<String>) -> Finding {
    Finding {
        subject: subject.to_owned(),
        found: found.into(),
        state,
        remedy: remedy.into(),
    }
}

fn cpus_found() -> Finding {
    let machine = Topology::of_this_machine();
    let cpus = machine.cpu_count();
    let (split, tried) = match machine.usual().and_then(|split| Ok((split, candidates(&machine)?))) {
        Ok(found) => found,
        Err(error) => return bad("cpus", format!("{cpus} usable"), error.to_string()),
    };
    let found = match tried.as_slice() {
        [] | [_] => format!("servers on {:?}, load generator on {:?}", split.server, split.generator),
        several => format!(
            "{cpus} on {} cores; a run takes the first of these under which the server is the limit: {}",
            machine.cores.len(),
            several.iter().map(in_words).collect::<Vec<_>>().join(", ")
        ),
    };
    let remedy = match cpus {
        _ if split.shared_core => "both share one physical core: use a machine with two cores or more",
        0..4 => "with four cpus the load generator is no longer the limit of fast servers",
        _ => return good("cpus", found),
    };
    doubtful("cpus", found, remedy)
}

/// How many cpus serve and how many load.
fn in_words(split: &Split) -> String {
    let shared = if split.shared_core { " (sharing a core)" } else { "" };
    format!("{}:{}{shared}", split.server.len(), split.generator.len())
}

fn busy() -> Finding {
    let average = load::average();
    let found = format!("load average {average:.2}");
    if average > AT_REST * affinity::allowed().len() as f64 {
        return doubtful("rest", found, "end other programs, or wait a minute after a build");
    }
    good("rest", found)
}

fn files() -> Finding {
    let needed = limits::files_needed(MOST_CONNECTIONS);
    match limits::files() {
        Ok((soft, hard)) if soft >= needed => good("open files", format!("soft limit {soft}, hard limit {hard}")),
        Ok((soft, hard)) if hard >= needed => good(
            "open files",
            format!("soft limit {soft}, raised as needed up to the hard limit {hard}"),
        ),
        Ok((_, hard)) => bad(
            "open files",
            format!("hard limit {hard}"),
            format!("ulimit -Hn {needed} as root, or limits.conf(5)"),
        ),
        Err(error) => bad("open files", error.to_string(), "see getrlimit(2)"),
    }
}

/// One of the settings of tune.sh.
fn setting(found: &KernelSetting) -> Finding {
    let KernelSetting { name, wanted, why, .. } = found;
    match &found.value {
        None => good(name, "not shown by this machine"),
        Some(value) if found.fits => good(name, value),
        Some(value) => doubtful(
            name,
            format!("{value}, wanted {wanted}"),
            format!("{} ({why})", tuning::REMEDY),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_not_good_comes_with_a_remedy() {
        let found = examine(Path::new("."));
        assert!(found.len() >= 10);
        for finding in found {
            assert_eq!(finding.state == Grade::Good, finding.remedy.is_empty(), "{finding:?}");
            assert!(!finding.found.is_empty(), "{finding:?}");
        }
    }

    #[test]
    fn a_setting_that_differs_names_what_sets_it() {
        let mut found = tuning::look(Path::new("/nothing/is/here"));
        assert!(found.iter().all(|found| setting(found).state == Grade::Good));
        found[0].value = Some("performance, powersave".into());
        found[0].fits = false;
        let finding = setting(&found[0]);
        assert_eq!(finding.state, Grade::Doubtful);
        assert_eq!(finding.found, "performance, powersave, wanted performance");
        assert!(
            finding.remedy.starts_with("sudo scripts/runner/tune.sh apply ("),
            "{}",
            finding.remedy
        );
    }

    #[test]
    fn a_machine_without_postgresql_can_do_all_else() {
        let finding = postgres(Ok(None));
        assert_eq!((finding.state, finding.found.as_str()), (Grade::Doubtful, "none"));
        assert_eq!(
            finding.remedy,
            "scenarios with a database need one (Debian and Ubuntu: apt-get install postgresql); all others do not"
        );
    }
}
