//! Resident memory of a server's processes, now and at its peak.

use model::Rss;
use procfs::process::Process;

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
    if let [only] = pids {
        return Some(process(*only)?.statm().ok()?.resident * procfs::page_size());
    }
    pids.iter().map(|pid| proportional(*pid)).sum()
}

/// Resets the peaks (proc(5): writing 5 to `clear_refs` resets `VmHWM`).
pub fn forget_peak(pids: &[i32]) -> std::io::Result<()> {
    let forget = |pid: &i32| std::fs::write(format!("/proc/{pid}/clear_refs"), "5");
    pids.iter().try_for_each(forget)
}

/// Largest resident memory since the last [`forget_peak`], in bytes. Of several processes it is the sum of their peaks: more than they
/// ever had at once, because they share memory and need not peak together.
pub fn peak(pids: &[i32]) -> Option<u64> {
    let peak = |pid: &i32| Some(process(*pid)?.status().ok()?.vmhwm? * 1024);
    pids.iter().map(peak).sum()
}

fn process(pid: i32) -> Option<Process> {
    Process::new(pid).ok()
}

fn proportional(pid: i32) -> Option<u64> {
    let maps = process(pid)?.smaps_rollup().ok()?.memory_map_rollup;
    maps.0.first()?.extension.map.get("Pss").copied()
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

    /// Of children, because the other test forgets the peak of this process.
    #[test]
    fn the_memory_of_several_processes_is_counted_together() {
        let sleeping = || std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let mut children = [sleeping(), sleeping()];
        let both = [0, 1].map(|at: usize| i32::try_from(children[at].id()).unwrap());
        let [one, other] = both.map(|pid| peak(&[pid]).unwrap());
        assert!(peak(&both).unwrap() >= one + other && other > 0);
        assert!(resident(&both).unwrap() > proportional(both[1]).unwrap());
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(resident(&both), None, "they are gone");
    }
}
