//! Describes the machine: the part of a record that decides whether figures are comparable.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use procfs::{CpuInfo, Current as _, Meminfo};

use super::cpus::{Split, Topology};
use super::kernel::irq_time_apart;
use super::tuning;
use super::tuning::KernelSetting;
use crate::cgroup;
use crate::confine;
use crate::git::Git;
use crate::identity;
use crate::kernel_files::read_small_file;
pub use crate::kernel_files::{cpu_model, kernel_version};
use crate::process::finish;
use crate::quota;
use model::Environment;

/// The variable that holds the labels of the runner.
const RUNNER: &str = "BENCH_RUNNER";
/// Load average per cpu above which other programs are busy.
const BUSY: f64 = 0.5;

/// Describes this machine. `load_average` is from before the command did anything; `rustc` and `oha` are versions.
pub fn describe(split: &Split, load_average: f64, rustc: String, oha: String) -> Environment {
    let (settings, machine) = (tuning::look(Path::new("/")), Topology::of_this_machine());
    let mut environment = Environment {
        server_cpu_quota: split.quota.then_some(quota::SHARE),
        irq_time_apart: irq_time_apart(),
        cpu_model: cpu_model(),
        cpu: split.server.first().map(|cpu| identity::cpu(*cpu)),
        logical_cpus: u32::try_from(machine.cpu_count()).unwrap_or(u32::MAX),
        memory_bytes: memory().min(cgroup::limits().memory.unwrap_or(u64::MAX)),
        kernel: kernel_version(),
        os: os(),
        governor: governor(&split.server),
        turbo: turbo(),
        virtualisation: virtualisation(),
        load_average,
        runner_image: runner_image(),
        runner: runner().unwrap_or_default(),
        rustc,
        oha,
        confined: confine::available().clone(),
        server_cpus: split.server.clone(),
        server_cores: u32::try_from(machine.cores_of(&split.server)).ok(),
        generator_cpus: split.generator.clone(),
        tuning: settings
            .iter()
            .filter_map(|setting| Some((setting.name.clone(), setting.value.clone()?)))
            .collect(),
        ..Environment::default()
    };
    environment.warnings = warnings(&environment, split.shared_core, &settings);
    environment.warnings.extend(runner().err());
    environment
}

/// Reasons why figures of this machine may be poor, each with a remedy if there is one.
fn warnings(environment: &Environment, shared_core: bool, settings: &[KernelSetting]) -> Vec<String> {
    let mut warnings = Vec::new();
    if environment.logical_cpus < 4 && !environment.generator_cpus.is_empty() {
        warnings.push(format!(
            "only {} cpus: a fast server is quicker than the load generator; trust CPU time per request",
            environment.logical_cpus
        ));
    }
    if shared_core {
        warnings.push("server and load generator share one physical core and slow each other down".into());
    }
    for setting in settings.iter().filter(|setting| !setting.fits) {
        let KernelSetting { name, wanted, why, .. } = setting;
        let value = setting.value.as_deref().unwrap_or_default();
        let remedy = tuning::REMEDY;
        warnings.push(format!(
            "{name} is `{value}` and not `{wanted}`: {why}; {remedy} sets it"
        ));
    }
    if let Some(kind) = &environment.virtualisation {
        warnings.push(format!(
            "runs under {kind}: neighbours on the host are not seen from here"
        ));
    }
    warnings.extend(confine::gaps(&environment.confined));
    if environment.load_average > BUSY * f64::from(environment.logical_cpus) {
        warnings.push(format!(
            "the load average was {:.2} before the start: end other programs",
            environment.load_average
        ));
    }
    warnings
}

/// Memory of the machine in bytes, whoever may use it.
pub fn memory() -> u64 {
    Meminfo::current().map_or(0, |found| found.mem_total)
}

fn os() -> String {
    let text = read_small_file("/etc/os-release").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.map_or_else(|| "unknown".into(), |name| name.trim_matches('"').to_owned())
}

/// The governors of all serving cpus; if they differ, trials depend on chance.
fn governor(cpus: &[u32]) -> Option<String> {
    let path = |cpu: &u32| format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor");
    let (governors, mut seen) = (
        cpus.iter().filter_map(|cpu| read_small_file(path(cpu))),
        BTreeSet::new(),
    );
    let governors: Vec<String> = governors.filter(|governor| seen.insert(governor.clone())).collect();
    (!governors.is_empty()).then(|| governors.join(", "))
}

fn turbo() -> Option<bool> {
    if let Some(off) = read_small_file("/sys/devices/system/cpu/intel_pstate/no_turbo") {
        return Some(off == "0");
    }
    read_small_file("/sys/devices/system/cpu/cpufreq/boost").map(|on| on == "1")
}

/// A hypervisor shows itself as a flag of the cpu and often by name, a container by a file.
fn virtualisation() -> Option<String> {
    let container = Path::new("/.dockerenv").exists().then_some("Docker");
    let flagged = CpuInfo::current().is_ok_and(|cpus| cpus.flags(0).is_some_and(|flags| flags.contains(&"hypervisor")));
    let vendor = read_small_file("/sys/class/dmi/id/sys_vendor").or_else(|| read_small_file("/sys/hypervisor/type"));
    let machine = flagged.then(|| vendor.map_or_else(|| "a hypervisor".into(), |vendor| format!("{vendor} (virtual)")));
    let found: Vec<String> = machine.into_iter().chain(container.map(Into::into)).collect();
    (!found.is_empty()).then(|| found.join(", "))
}

fn runner_image() -> Option<String> {
    let version = std::env::var("ImageVersion").unwrap_or_default();
    let image = format!("{} {version}", std::env::var("ImageOS").ok()?);
    Some(image.trim_end().to_owned())
}

/// The labels by which a workflow requested this machine; the error says that they cannot be read.
fn runner() -> Result<Vec<String>, String> {
    std::env::var(RUNNER).map_or_else(|_| Ok(Vec::new()), |labels| read_labels(&labels))
}

fn read_labels(labels: &str) -> Result<Vec<String>, String> {
    serde_json::from_str(labels).map_err(|_| {
        format!(
            "{RUNNER} is no JSON array of labels, such as [\"ubuntu-24.04\"], so the record does not name its runner"
        )
    })
}

/// Longest wait for the version of a program: rustup may have to download the toolchain first.
const PATIENCE: Duration = Duration::from_mins(10);

/// The first line of `--version` of a program; the error says why there is none.
pub fn version_of(program: &Path, directory: &Path) -> Result<String, String> {
    let mut command = Command::new(program);
    command.arg("--version").current_dir(directory).stdin(Stdio::null());
    let text = finish(command, PATIENCE)
        .map_err(|error| error.to_string())?
        .success()?;
    let line = text.lines().next().map(str::trim).filter(|line| !line.is_empty());
    line.map(str::to_owned).ok_or_else(|| "it prints none".to_owned())
}

/// Commit of the checkout at `root` and whether files differ from it; `None` outside of git. The error is git's own.
pub fn commit(root: &Path) -> anyhow::Result<Option<(String, bool)>> {
    if !fs::exists(root.join(".git")).unwrap_or(false) {
        return Ok(None);
    }
    let git = Git::new(root);
    Ok(Some((git.text(&["rev-parse", "HEAD"])?, git.is_dirty()?)))
}

#[cfg(test)]
mod tests {
    use super::read_labels;

    #[test]
    fn labels_are_an_array_of_texts() {
        assert_eq!(
            read_labels(r#"["self-hosted", "bench"]"#),
            Ok(vec!["self-hosted".to_owned(), "bench".to_owned()])
        );
        for text in ["", "ubuntu-24.04", "[1]", r#"{"a": "b"}"#] {
            assert!(
                read_labels(text)
                    .unwrap_err()
                    .starts_with("BENCH_RUNNER is no JSON array")
            );
        }
    }
}
