//! Half of their cpus' time for servers whose answers cost less than the load generator takes to request them.
//!
//! Where the load generator is the limit, a server goes to sleep whenever it has answered all there is, and the less it has to do, the more
//! often: sleeping and waking is CPU time too, so that servers come out closer to each other than they are. With half of the time, requests
//! always wait for it, and what an answer costs stays the same (docs/rounds.md).
//!
//! The kernel limits a control group of either version (Documentation/scheduler/sched-bwc.rst). Root may make one; in version 2 so may a user
//! to whom systemd has delegated a group (`Delegate=cpu`, as in scripts/runner/bench-runner.service).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io, process};

use crate::cgroup::{self, Limits};

/// Microseconds that a server may run on each of its cpus in a period, the least that the kernel takes: in longer ones it would answer all
/// there is.
const RUN_US: usize = 1_000;
const PERIOD_US: usize = 2_000;
/// What a server may use of its cpus' time.
pub const SHARE: f64 = RUN_US as f64 / PERIOD_US as f64;

/// What is said where servers need a quota and can have none.
pub const MISSING: &str = "servers cannot be limited to a part of their cpus' time, so that the cheapest come out closer to each other than they \
     are wherever the load generator is the limit: run as root, or in a control group that systemd has delegated to you (docs/rounds.md)";

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
        let mut made = Err(io::Error::other("no cpu time can be shared among control groups here"));
        for parent in parents() {
            let group = parent.join(&name);
            made = fs::create_dir(&group).map(|()| Self(group));
            if made.is_ok() {
                break;
            }
        }
        let quota = made?;
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
    let left = parents().into_iter().flat_map(fs::read_dir).flatten().flatten();
    let owner = |name: &str| name.strip_prefix("bench-")?.split_once('-')?.0.parse::<u32>().ok();
    for group in left {
        let owner = group.file_name().to_str().and_then(owner);
        if owner.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
            let _ = fs::remove_dir(group.path());
        }
    }
    Quota::new(1, &[]).is_ok()
}

/// Where the group can be made, the best first: in version 1 below this process's own; in version 2, where no group that has processes has
/// others below it, below one of those above, from the first of all on.
fn parents() -> Vec<PathBuf> {
    let groups: Vec<Vec<PathBuf>> = (cgroup::of_this_process().iter())
        .map(cgroup::Group::with_those_above)
        .collect();
    if let Some(group) = groups.iter().find(|group| group[0].join("cpu.shares").exists()) {
        return vec![group[0].clone()];
    }
    let free = groups.iter().flat_map(|group| free(group));
    free.filter(|group| shares_cpu(group)).collect()
}

/// Of a group of version 2 and those above it, the nearest first, those below which another group lacks none of its limits, the first of all
/// first.
fn free(groups: &[PathBuf]) -> impl Iterator<Item = PathBuf> + '_ {
    let is_free = |number: &usize| cgroup::limits_of(&groups[..*number]) == Limits::default();
    let free = (0..groups.len()).rev().filter(is_free);
    free.map(|number| groups[number].clone())
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
    fn no_group_is_made_where_it_would_leave_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let all: Vec<PathBuf> = ["a/service/runner", "a/service", "a", ""]
            .map(|path| folder.path().join(path))
            .into();
        fs::create_dir_all(&all[0]).unwrap();
        let free = || super::free(&all).collect::<Vec<_>>();
        assert_eq!(free(), [&all[3], &all[2], &all[1], &all[0]].map(Clone::clone));
        fs::write(all[1].join("cpu.max"), "50000 100000").unwrap();
        assert_eq!(
            free(),
            [&all[1], &all[0]].map(Clone::clone),
            "the service has the limit, and what is below it too"
        );
        fs::write(all[0].join("memory.max"), "1000").unwrap();
        assert_eq!(
            free(),
            [all[0].clone()],
            "which has processes, so the kernel refuses it"
        );
    }

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
