//! The settings of a measuring machine, as `scripts/runner/tune.sh` finds and judges them. Nothing is changed here.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::{CommandOutput, finish};

/// The script and its list of settings, so that a handed-over program has them too.
const SCRIPT: &str = include_str!("../../../runner/tune.sh");
const TABLE: &str = include_str!("../../../runner/tuning.txt");
/// Longest time for the list; usual are milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// The command that applies the wanted settings.
pub const REMEDY: &str = "sudo scripts/runner/tune.sh apply";

/// A setting of the kernel on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelSetting {
    /// Its name: the sysctl's, where it is one.
    pub name: String,
    /// Whether every value is acceptable, or the machine does not show it: nothing can be done about that.
    pub fits: bool,
    /// Its values, separated by commas if cpus differ; `None` if the machine does not show it.
    pub value: Option<String>,
    /// What it is set to.
    pub wanted: String,
    /// What goes wrong with another value.
    pub why: String,
}

/// All settings, as `root` (`/` for this machine) shows them, in the order in which they are set.
pub fn look(root: &Path) -> Vec<KernelSetting> {
    let mut command = Command::new("bash");
    command
        .args(["-c", SCRIPT, "tune.sh", "list"])
        .env("TUNING_TABLE", TABLE);
    command.env("TUNE_ROOT", root.to_string_lossy().trim_end_matches('/'));
    let listed = finish(command, PATIENCE)
        .ok()
        .and_then(|output| CommandOutput::success(output).ok());
    listed.unwrap_or_default().lines().filter_map(read).collect()
}

fn read(line: &str) -> Option<KernelSetting> {
    let fields: Vec<String> = line.splitn(5, '|').map(str::to_owned).collect();
    let [name, state, value, wanted, why] = fields.try_into().ok()?;
    Some(KernelSetting {
        name,
        fits: state != "differs",
        value: Some(value).filter(|value| !value.is_empty()),
        wanted,
        why,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cpu_is_looked_at() {
        let root = tempfile::tempdir().unwrap();
        for (cpu, governor) in [("cpu0", "performance"), ("cpu1", "powersave"), ("cpu10", "powersave")] {
            let folder = root.path().join(format!("sys/devices/system/cpu/{cpu}/cpufreq"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("scaling_governor"), format!("{governor}\n")).unwrap();
        }
        let found = look(root.path());
        let governor = &found[0];
        assert_eq!(governor.value.as_deref(), Some("performance, powersave"));
        assert_eq!((governor.name.as_str(), governor.fits), ("governor", false));
        assert_eq!(governor.wanted, "performance");
        assert!(
            governor.why.starts_with("other governors let the clock follow"),
            "{governor:?}"
        );
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(found.len(), lines);
        assert!(
            found[1..].iter().all(|other| other.fits && other.value.is_none()),
            "{found:?}"
        );
    }
}
