//! Resident memory of a server's processes, now and at its peak.

use std::fs;

use nix::unistd::{SysconfVar, sysconf};

use crate::kernel_files::kib_field;
use record::Rss;

/// Memory of a server: `idle` is its memory before any load; the rest is read now.
pub fn rss(pids: &[i32], idle: Option<u64>) -> Option<Rss> {
    let (idle, peak, after) = (idle?, peak(pids)?, resident(pids)?);
    // The kernel keeps these counters by cpu and adds them up at different moments.
    let peak = peak.max(after);
    Some(Rss { idle, peak, after })
}

/// Resident memory now, in bytes; `None` once a process is gone. Of several processes it is the sum of their proportional set sizes, in
/// which each counts its share of what they have in common.
pub fn resident(pids: &[i32]) -> Option<u64> {
    let [only] = pids else {
        return pids.iter().map(|pid| field(*pid, "smaps_rollup", "Pss:")).sum();
    };
    let statm = fs::read_to_string(format!("/proc/{only}/statm")).ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    let page = sysconf(SysconfVar::PAGE_SIZE)
        .ok()
        .flatten()
        .and_then(|size| u64::try_from(size).ok())?;
    Some(pages * page)
}

/// Resets the peaks (proc(5): writing 5 to `clear_refs` resets `VmHWM`).
pub fn forget_peak(pids: &[i32]) -> std::io::Result<()> {
    pids.iter()
        .try_for_each(|pid| fs::write(format!("/proc/{pid}/clear_refs"), "5"))
}

/// Largest resident memory since the last [`forget_peak`], in bytes. Of several processes it is the sum of their peaks: more than they
/// ever had at once, because they share memory and need not peak together.
pub fn peak(pids: &[i32]) -> Option<u64> {
    pids.iter().map(|pid| field(*pid, "status", "VmHWM:")).sum()
}

fn field(pid: i32, file: &str, name: &str) -> Option<u64> {
    kib_field(&fs::read_to_string(format!("/proc/{pid}/{file}")).ok()?, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_seen_and_forgotten() {
        const MIB: usize = 1 << 20;
        let me = [i32::try_from(std::process::id()).unwrap()];
        forget_peak(&me).unwrap();
        let before = resident(&me).unwrap();
        drop(std::hint::black_box(vec![1_u8; 64 * MIB]));
        assert!(peak(&me).unwrap() > before + 60 * MIB as u64);
        forget_peak(&me).unwrap();
        assert!(peak(&me).unwrap() < before + 60 * MIB as u64);
    }

    #[test]
    fn the_memory_of_several_processes_is_that_of_all() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let child_pid = i32::try_from(child.id()).unwrap();
        let both = [i32::try_from(std::process::id()).unwrap(), child_pid];
        let (alone, of_child) = (peak(&both[..1]).unwrap(), peak(&both[1..]).unwrap());
        assert!(peak(&both).unwrap() >= alone + of_child && of_child > 0);
        assert!(resident(&both).unwrap() > field(child_pid, "smaps_rollup", "Pss:").unwrap());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(resident(&both), None, "one of them is gone");
    }
}
