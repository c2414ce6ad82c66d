//! Resident memory of a process, now and at its peak.

use std::fs;

use crate::machine::kib_field;
use record::Rss;

use nix::unistd::{SysconfVar, sysconf};

/// Memory of a server: `idle` is its resident memory before any load; the rest is read now.
pub fn rss(pid: i32, idle: Option<u64>) -> Option<Rss> {
    let (idle, peak, after) = (idle?, peak(pid)?, resident(pid)?);
    // The kernel keeps these counters by cpu and adds them up at different moments.
    let peak = peak.max(after);
    Some(Rss { idle, peak, after })
}

/// Resident memory now, in bytes; `None` once the process is gone.
pub fn resident(pid: i32) -> Option<u64> {
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    let page = sysconf(SysconfVar::PAGE_SIZE)
        .ok()
        .flatten()
        .and_then(|size| u64::try_from(size).ok())?;
    Some(pages * page)
}

/// Resets the peak (proc(5): writing 5 to `clear_refs` resets `VmHWM`).
pub fn forget_peak(pid: i32) -> std::io::Result<()> {
    fs::write(format!("/proc/{pid}/clear_refs"), "5")
}

/// Largest resident memory since the last [`forget_peak`], in bytes.
fn peak(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    kib_field(&status, "VmHWM:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_seen_and_forgotten() {
        const MIB: usize = 1 << 20;
        let me = i32::try_from(std::process::id()).unwrap();
        forget_peak(me).unwrap();
        let before = resident(me).unwrap();
        drop(std::hint::black_box(vec![1_u8; 64 * MIB]));
        assert!(peak(me).unwrap() > before + 60 * MIB as u64);
        forget_peak(me).unwrap();
        assert!(peak(me).unwrap() < before + 60 * MIB as u64);
    }
}
