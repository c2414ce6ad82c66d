//! The owner of a container or image is the process that made it, so that no run removes what another still uses.

use std::fs;

/// Name of the label.
pub const LABEL: &str = "bench.owner";

/// This process as a label: its id and its start time, because ids are reused.
pub fn this() -> String {
    let pid = std::process::id();
    format!("{pid}-{}", started(pid).unwrap_or(0))
}

/// Whether the owner in a label still runs. A label that cannot be read is not ours and has no owner.
pub fn lives(label: &str) -> bool {
    let Some((pid, start)) = label.split_once('-') else {
        return false;
    };
    let (Ok(pid), Ok(start)) = (pid.parse(), start.parse::<u64>()) else {
        return false;
    };
    started(pid) == Some(start)
}

/// When a process started, in ticks since the boot (`proc_pid_stat(5)`, field 22).
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in parentheses and may hold anything.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(19)?.parse().ok()
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
