//! Reads and sets the cpus that a process may use.

use std::io;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Cpus that this process may use.
pub fn allowed() -> Vec<u32> {
    let Ok(set) = sched_getaffinity(Pid::from_raw(0)) else {
        return Vec::new();
    };
    (0..CpuSet::count())
        .filter(|cpu| set.is_set(*cpu).unwrap_or(false))
        .filter_map(|cpu| u32::try_from(cpu).ok())
        .collect()
}

/// Restricts all threads of a process to `cpus`, if there are any.
pub fn pin_all(pid: i32, cpus: &[u32]) -> io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))?.flatten() {
        if let Some(thread) = thread.file_name().to_str().and_then(|id| id.parse().ok()) {
            pin(thread, cpus)?;
        }
    }
    Ok(())
}

/// Restricts a thread to `cpus`; 0 is the caller.
pub fn pin(pid: i32, cpus: &[u32]) -> nix::Result<()> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(*cpu as usize)?;
    }
    sched_setaffinity(Pid::from_raw(pid), &set)
}
