//! Counts the instructions for one request with callgrind, all of them or by stack ([`super::profile`]): nearly without noise, even on a
//! busy machine.
//!
//! Two commands, which valgrind's `vgdb` hands to callgrind, begin and end the count, so that start and warm-up are not
//! included. Only user space is counted; time in the kernel shows in CPU time alone. Valgrind runs one thread at a time, so
//! contention between threads does not show either.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Counted, ask, not_counted, profile, start};
use analyze::compare::explanation::Profile;
use machine::environment::version_of;
use machine::interrupt::Interrupted;
use machine::parallel_map::parallel_map;
use machine::process::{Unfinished, finish, one_line};
use model::Verdict;
use model::scenario::Scenario;
use servers::failure::Failure;
use servers::server::Server;
use servers::workload::Workload;

/// The message if valgrind is missing.
pub const NO_VALGRIND: &str =
    "valgrind is not installed: instructions were not counted (Debian and Ubuntu: apt-get install valgrind)";

/// Longest time for one command; usual is a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(30);

/// Version of valgrind, if it is installed.
pub fn version(root: &Path) -> Option<String> {
    version_of("valgrind".as_ref(), root).ok()
}

/// Instructions for one request of each scenario, by one server on `cpus`.
pub fn per_request(counted: Counted<'_>, cpus: &[u32], scenarios: &[&Scenario]) -> Result<Vec<f64>, Failure> {
    let mut counts = Vec::new();
    count(counted, cpus, scenarios, &mut counts)?;
    Ok(counts.into_iter().map(|(_, count)| count).collect())
}

/// The counts of one program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    /// Instructions for one request by name of the scenario, in the order of the requests.
    pub per_request: Vec<(String, f64)>,
    /// Why the rest is missing; `None` if nothing is.
    pub reason: Option<String>,
}

/// Counts the instructions for one request of each of the scenarios of each of `programs`, in their order.
///
/// Each server has one of `cpus`, of which there must be at least one: a server starts as many workers as it has cpus, and
/// their number changes the instructions of a request. If one program cannot be counted, the others are not affected.
pub fn count_in_parallel(programs: &[(Counted<'_>, Vec<&Scenario>)], cpus: &[u32]) -> Result<Vec<Counts>, Interrupted> {
    parallel_map(cpus, programs, |cpu, (program, scenarios)| {
        let mut per_request = Vec::new();
        let counted = count(*program, &[cpu], scenarios, &mut per_request);
        let reason = counted.err().map(Failure::into_verdict).transpose()?;
        let reason = reason.map(|(_, reason)| one_line(&reason));
        Ok(Counts { per_request, reason })
    })
}

/// The same, appended to `counts` one by one by the ids of the scenarios, so that those that can be counted are kept. The error is the
/// first of all.
///
/// One process gets the requests of all scenarios that follow each other and want it set up alike. Earlier ones influence later ones, so
/// counts are comparable only between the same scenarios in the same order. A process that fails does not affect the others. One that the
/// machine could not count is counted once more: on a busy machine a command to valgrind now and then gets no reply.
fn count(
    counted: Counted<'_>,
    cpus: &[u32],
    scenarios: &[&Scenario],
    counts: &mut Vec<(String, f64)>,
) -> Result<(), Failure> {
    let setup = |scenario: &Scenario| scenario.service.map(|served| (served.routes, served.layers));
    let mut ended = Ok(());
    for alike in scenarios.chunk_by(|one, next| setup(one) == setup(next)) {
        let before = counts.len();
        let mut counting = count_by_one_server(counted, cpus, alike, counts);
        if let Err(Failure::Verdict(Verdict::EnvironmentFailed, _)) = counting {
            counts.truncate(before);
            counting = count_by_one_server(counted, cpus, alike, counts);
        }
        match counting {
            Err(Failure::Interrupted(interrupted)) => return Err(Failure::Interrupted(interrupted)),
            other => ended = ended.and(other),
        }
    }
    ended
}

fn count_by_one_server(
    counted: Counted<'_>,
    cpus: &[u32],
    scenarios: &[&Scenario],
    counts: &mut Vec<(String, f64)>,
) -> Result<(), Failure> {
    dumps(counted, cpus, scenarios, &[], |scenario, requests, dump| {
        counts.push((scenario.id.clone(), total(dump)? as f64 / f64::from(requests)));
        Some(())
    })
}

/// Instructions for one request of a scenario by stack, by one server on `cpus`.
pub fn by_stack(counted: Counted<'_>, cpus: &[u32], scenario: &Scenario) -> Result<Profile, Failure> {
    let mut found = Profile::default();
    dumps(counted, cpus, &[scenario], &profile::OPTIONS, |_, requests, dump| {
        found = profile::parse(dump, requests)?;
        Some(())
    })?;
    Ok(found)
}

/// Lets one server under callgrind, which gets `options`, answer the requests of these scenarios, and hands `read` each scenario with the
/// number of requests that were counted and what callgrind wrote of them; `read` says `None` of what it cannot read.
fn dumps(
    counted: Counted<'_>,
    cpus: &[u32],
    scenarios: &[&Scenario],
    options: &[&str],
    mut read: impl FnMut(&Scenario, u32, &str) -> Option<()>,
) -> Result<(), Failure> {
    let Some(first) = scenarios.first() else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("out");
    // A server's own user may not enter the folder of its program, from which valgrind reads the names of functions.
    let copy = (!options.is_empty())
        .then(|| counted.program.copied(&folder.path().join("program")))
        .transpose()?;
    let counted = Counted {
        program: copy.as_ref().unwrap_or(counted.program),
        ..counted
    };
    let mut wrapper = vec![
        "valgrind".to_owned(),
        "--tool=callgrind".to_owned(),
        // So that the last lines on stderr are the server's.
        "--quiet".to_owned(),
        "--instr-atstart=no".to_owned(),
        // It takes `%p` for its process id.
        format!("--callgrind-out-file={}", out.display()).replace('%', "%%"),
        meeting_place(folder.path()),
    ];
    wrapper.extend(options.iter().map(|&option| option.to_owned()));
    let (mut server, mut client) = start(&wrapper, counted, first, folder.path(), cpus)?;
    control(&server, folder.path(), &["instrumentation", "on"])?;
    for (index, scenario) in scenarios.iter().enumerate() {
        let named = |failure: Failure| failure.prefixed(&format!("{}: ", scenario.id));
        let model::scenario::Counted { warm_up, requests } = scenario.counted.unwrap_or_default();
        let workload = Workload::counted(scenario);
        ask(&mut server, &mut client, &workload, warm_up).map_err(named)?;
        // Otherwise the last dump has zeroed the counters already, and each command takes a tenth of a second.
        if warm_up > 0 || index == 0 {
            control(&server, folder.path(), &["zero"]).map_err(named)?;
        }
        ask(&mut server, &mut client, &workload, requests).map_err(named)?;
        control(&server, folder.path(), &["dump"]).map_err(named)?;
        let dump = fs::read_to_string(format!("{}.{}", out.display(), index + 1)).ok();
        let seen = dump.and_then(|dump| read(scenario, requests, &dump));
        seen.ok_or_else(|| named(not_counted("callgrind wrote no counts")))?;
    }
    Ok(())
}

/// Sends callgrind a command. `callgrind_control` would do the same, but first searches for all processes of valgrind, and
/// waits a tenth of a second before it wakes a sleeping server; with fifteen commands that is a third of the time.
fn control(server: &Server, folder: &Path, what: &[&str]) -> Result<(), Failure> {
    let failed = |reason: String| not_counted(format!("vgdb {} failed: {reason}", what.join(" ")));
    let mut command = Command::new("vgdb");
    command
        .args([
            "--max-invoke-ms=10",
            &format!("--pid={}", server.pid),
            &meeting_place(folder),
        ])
        .args(what);
    // Both name their pipes by these as well, and a server has none of them.
    for variable in ["LOGNAME", "USER", "HOST", "HOSTNAME"] {
        command.env_remove(variable);
    }
    // Valgrind checks, by a signal, whether it still runs.
    if let Some(user) = server.user {
        user.runs(&mut command);
    }
    match finish(command, PATIENCE) {
        Ok(output) => output.success().map_err(failed).map(|_| ()),
        Err(Unfinished::Interrupted(interrupted)) => Err(Failure::Interrupted(interrupted)),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Where valgrind, which may write to `folder` only, and `vgdb` make their pipes.
fn meeting_place(folder: &Path) -> String {
    format!("--vgdb-prefix={}", folder.join("vgdb").display())
}

/// Sum over all threads, from callgrind's output ("totals", or "summary" in older versions).
fn total(text: &str) -> Option<u64> {
    let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
    line("totals:")
        .or_else(|| line("summary:"))?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use apps::profile::Profiles;
    use machine::program::Program;

    #[test]
    fn the_total_is_read_from_callgrinds_output() {
        assert_eq!(
            total("# callgrind format\nevents: Ir\nfn=(1)\n1 2\n\ntotals: 1234567\n"),
            Some(1_234_567)
        );
        assert_eq!(total("events: Ir\nsummary: 99\n"), Some(99));
        assert_eq!(total("events: Ir\n"), None);
    }

    #[test]
    fn a_program_that_cannot_be_counted_says_why_in_its_place() {
        let profiles = Profiles::built_in();
        let scenario = profiles
            .scenario("plaintext", profiles.profile("weekly").unwrap())
            .unwrap();
        let gone = tempfile::NamedTempFile::new().unwrap();
        let programs = [Path::new("/bin/false"), gone.path(), Path::new("/bin/false")];
        let programs = programs.map(|path| Program::at(path).unwrap());
        drop(gone);
        let wanted = programs.each_ref().map(|program| (program.into(), vec![&scenario]));
        let found = count_in_parallel(&wanted, &[0]).unwrap();
        assert_eq!(found.len(), 3);
        for counts in &found {
            let reason = counts.reason.as_deref().unwrap();
            assert!(counts.per_request.is_empty() && !reason.contains('\n'), "{counts:?}");
            assert!(reason.starts_with("it does not run under valgrind: "), "{reason}");
        }
        assert_eq!(found[0], found[2]);
        assert_ne!(found[0], found[1]);
    }
}
