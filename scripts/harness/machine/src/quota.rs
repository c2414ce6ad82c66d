//! Half of their cpus' time for servers whose answers cost less than the load generator takes to request them.
//!
//! Where the load generator is the limit, a server goes to sleep whenever it has answered all there is, and the less it has to do, the more
//! often: sleeping and waking is CPU time too, so that servers come out closer to each other than they are. With half of the time, requests
//! always wait for it, and what an answer costs stays the same (docs/rounds.md).
//!
//! The kernel limits a control group of either version (Documentation/scheduler/sched-bwc.rst), which root may make.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io, process};

use crate::cgroup::{self, Group, Limits};

/// Microseconds that a server may run on each of its cpus in a period, the least that the kernel takes: in longer ones it would answer all
/// there is.
const RUN_US: usize = 1_000;
const PERIOD_US: usize = 2_000;
/// What a server may use of its cpus' time.
pub const SHARE: f64 = RUN_US as f64 / PERIOD_US as f64;

/// A control group, which ends after its last process.
#[derive(Debug)]
pub struct Quota(PathBuf);

impl Quota {
    /// For processes that run on so many cpus. Threads and processes that they start later belong to it as well.
    ///
    /// Fails without the right to make a control group, and where that would free them from a limit of this process.
    pub fn new(cpus: usize, pids: &[i32]) -> io::Result<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("bench-{}-{}", process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let quota = Self(parent()?.join(name));
        fs::create_dir(&quota.0)?;
        let run = cpus * RUN_US;
        if quota.0.join("cpu.max").exists() {
            quota.write("cpu.max", &format!("{run} {PERIOD_US}"))?;
        } else {
            quota.write("cpu.cfs_period_us", &PERIOD_US)?;
            quota.write("cpu.cfs_quota_us", &run)?;
        }
        for pid in pids {
            quota.write("cgroup.procs", pid)?;
        }
        Ok(quota)
    }

    fn write(&self, file: &str, value: &impl ToString) -> io::Result<()> {
        fs::write(self.0.join(file), value.to_string())
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// Whether servers can have one here. What a run that was killed has left goes.
pub fn is_available() -> bool {
    let left = parent().and_then(fs::read_dir).into_iter().flatten().flatten();
    let owner = |name: &str| name.strip_prefix("bench-")?.split_once('-')?.0.parse::<u32>().ok();
    for group in left {
        let owner = group.file_name().to_str().and_then(owner);
        if owner.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
            let _ = fs::remove_dir(group.path());
        }
    }
    Quota::new(1, &[]).is_ok()
}

/// Where the group is made: in version 1 below this process's own; in version 2, where no group that has processes has others below it, below
/// the first of all, if this process is under no limit that its servers would leave.
fn parent() -> io::Result<PathBuf> {
    let groups = cgroup::of_this_process();
    let first = groups
        .iter()
        .map(Group::own)
        .find(|own| own.join("cpu.shares").exists());
    let is_free = || cgroup::limits() == Limits::default();
    let second = || {
        let mount = groups.iter().find(|group| shares_cpu(&group.mount) && is_free())?;
        Some(mount.mount.clone())
    };
    let found = first.or_else(second);
    found.ok_or_else(|| io::Error::other("no cpu time can be shared among control groups here"))
}

/// Whether groups of version 2 below `root` share cpu time.
fn shares_cpu(root: &Path) -> bool {
    let children = root.join("cgroup.subtree_control");
    let shares = || fs::read_to_string(&children).is_ok_and(|names| names.split_whitespace().any(|name| name == "cpu"));
    shares() || fs::write(&children, "+cpu").is_ok() && shares()
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::descendants::cpu_clock;

    #[test]
    fn who_has_a_quota_runs_half_of_the_time_and_its_group_goes_with_it() {
        let mut busy = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let pid = i32::try_from(busy.id()).unwrap();
        let quota = Quota::new(1, &[pid]);
        let clock = cpu_clock(pid).unwrap();
        let used = || Duration::from(nix::time::clock_gettime(clock).unwrap());
        let (before, began) = (used(), Instant::now());
        thread::sleep(Duration::from_millis(300));
        let share = used().saturating_sub(before).div_duration_f64(began.elapsed());
        busy.kill().unwrap();
        busy.wait().unwrap();
        let Ok(quota) = quota else {
            assert!(!is_available(), "it could not be made once, and then it could");
            eprintln!("left out: no control group can be made here");
            return;
        };
        assert!(share < 0.7, "{share}");
        let path = quota.0.clone();
        drop(quota);
        assert!(!path.exists());
    }
}
