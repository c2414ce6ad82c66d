//! Half of their cpus' time for servers whose answers cost less than the load generator takes to ask for them.
//!
//! Where the load generator is the limit, a server goes to sleep whenever it has answered all there is, and the less it has to do, the more
//! often: sleeping and waking is CPU time too, so that servers come out closer to each other than they are. With half of the time, requests
//! always wait for it, and what an answer costs stays the same (docs/rounds.md).
//!
//! The kernel limits a control group of either version (Documentation/scheduler/sched-bwc.rst), which root may make.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io, process};

use procfs::process::Process;

/// What a server may use of its cpus' time.
pub const SHARE: f64 = 0.5;
/// Microseconds that it may run on each of its cpus in a period, the least that the kernel takes: in longer ones it would answer all there is.
const RUN_US: usize = 1_000;
const PERIOD_US: usize = 2_000;

/// A control group, which ends after its last process.
#[derive(Debug)]
pub struct Quota(PathBuf);

impl Quota {
    /// For processes that run on so many cpus. Threads and processes that they start later belong to it as well.
    ///
    /// Fails without the right to make a control group, and where the kernel shares no cpu time among them.
    pub fn new(cpus: usize, pids: &[i32]) -> io::Result<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let (root, version) = groups()?;
        let name = format!("bench-{}-{}", process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let quota = Self(root.join(name));
        fs::create_dir(&quota.0)?;
        let run = cpus * RUN_US;
        match version {
            Version::One => {
                quota.write("cpu.cfs_period_us", &PERIOD_US)?;
                quota.write("cpu.cfs_quota_us", &run)?;
            }
            Version::Two => quota.write("cpu.max", &format!("{run} {PERIOD_US}"))?,
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

/// Whether servers can have one here.
pub fn is_available() -> bool {
    Quota::new(1, &[]).is_ok()
}

#[derive(Debug, Clone, Copy)]
enum Version {
    One,
    Two,
}

/// Where control groups that share cpu time are made.
fn groups() -> io::Result<(PathBuf, Version)> {
    let mounts = Process::myself()
        .and_then(|own| own.mountinfo())
        .map_err(io::Error::other)?;
    let mut found = mounts.0.into_iter().filter_map(|mount| match mount.fs_type.as_str() {
        "cgroup" if mount.super_options.contains_key("cpu") => Some((mount.mount_point, Version::One)),
        "cgroup2" if shares_cpu(&mount.mount_point) => Some((mount.mount_point, Version::Two)),
        _ => None,
    });
    found
        .next()
        .ok_or_else(|| io::Error::other("the kernel shares no cpu time among control groups"))
}

/// Whether groups of version 2 in this folder can share cpu time.
fn shares_cpu(root: &Path) -> bool {
    let children = root.join("cgroup.subtree_control");
    let shares = || fs::read_to_string(&children).is_ok_and(|names| names.split_whitespace().any(|name| name == "cpu"));
    shares() || fs::write(&children, "+cpu").is_ok() && shares()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_there_as_long_as_its_quota() {
        let Ok(quota) = Quota::new(2, &[]) else {
            assert!(!is_available(), "it could not be made once, and then it could");
            return;
        };
        let path = quota.0.clone();
        let read = |name: &str| fs::read_to_string(path.join(name)).map(|text| text.trim().to_owned());
        let limit = read("cpu.max")
            .or_else(|_| Ok::<_, io::Error>(format!("{} {}", read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?)));
        assert_eq!(limit.unwrap(), "2000 2000");
        drop(quota);
        assert!(!path.exists());
    }
}
