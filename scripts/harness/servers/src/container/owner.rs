//! The owner of a container or image is the process that made it, so that no run removes what another still uses.

use nix::unistd::getpid;
use procfs::process::Process;

/// Name of the label.
pub const LABEL: &str = "bench.owner";

/// This process as a label: its id and its start time, because ids are reused.
pub fn this() -> String {
    let pid = getpid().as_raw();
    format!("{pid}-{}", started(pid).unwrap_or(0))
}

/// Whether the owner in a label still runs. A label that cannot be read is not ours and has no owner.
pub fn lives(label: &str) -> bool {
    let owner = label
        .split_once('-')
        .and_then(|(pid, start)| Some((pid.parse().ok()?, start.parse().ok()?)));
    owner.is_some_and(|(pid, start)| started(pid) == Some(start))
}

/// When a process started, in ticks since the boot.
fn started(pid: i32) -> Option<u64> {
    Some(Process::new(pid).ok()?.stat().ok()?.starttime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_an_earlier_one_of_its_id_does_not() {
        assert!(lives(&this()));
        assert!(!lives(&format!("{}-1", std::process::id())));
        for nobody in ["", "-", "1", "x-1", "1-x", "4294967295-1"] {
            assert!(!lives(nobody), "{nobody}");
        }
    }
}
