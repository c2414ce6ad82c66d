//! What the control groups of this process let it use, in version 1 and 2: the least of its own and of those above it. A container's limits
//! are such, as are a systemd unit's.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use procfs::ProcessCGroups;
use procfs::process::{MountInfo, MountInfos, Process};

/// Limits; `None` where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// CPU time for each second, in seconds: the quota.
    pub cpus: Option<f64>,
    /// Memory in bytes.
    pub memory: Option<u64>,
}

/// The limits of this process.
pub fn limits() -> Limits {
    let of_all = of_this_process();
    limits_of(&of_all.iter().flat_map(Group::with_those_above).collect::<Vec<_>>())
}

/// The least that groups allow.
pub(crate) fn limits_of(all: &[PathBuf]) -> Limits {
    Limits {
        cpus: all.iter().filter_map(|group| quota(group)).reduce(f64::min),
        memory: all.iter().filter_map(|group| memory(group)).min(),
    }
}

/// How many processes of this process's groups the kernel has killed since the last call because of the limit of memory; 0 at first.
pub fn killed_for_memory() -> u64 {
    static SEEN: OnceLock<AtomicU64> = OnceLock::new();
    let killed = killed_so_far();
    let seen = SEEN.get_or_init(|| AtomicU64::new(killed));
    killed.saturating_sub(seen.swap(killed, Ordering::Relaxed))
}

fn killed_so_far() -> u64 {
    let of_all = of_this_process();
    let killed = |group: &Group| {
        let files = ["memory.events", "memory.oom_control"];
        let text: String = files.map(|name| shown(group.own().join(name))).concat();
        text.lines()
            .find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse::<u64>().ok())
    };
    of_all.iter().filter_map(killed).sum()
}

/// The groups of this process in the hierarchies that limit memory or CPU time.
pub(crate) fn of_this_process() -> Vec<Group> {
    let own = Process::myself().and_then(|own| Ok(groups(&own.cgroups()?, own.mountinfo()?)));
    own.unwrap_or_default()
}

fn shown(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// A group of this process in a hierarchy.
#[derive(Debug, PartialEq)]
pub(crate) struct Group {
    /// Where the hierarchy is mounted.
    pub mount: PathBuf,
    /// The group below it.
    path: PathBuf,
}

impl Group {
    /// The folder of the group.
    pub fn own(&self) -> PathBuf {
        self.mount.join(&self.path)
    }

    /// The folder of the group and of those above it, the nearest first.
    pub fn with_those_above(&self) -> Vec<PathBuf> {
        self.path.ancestors().map(|path| self.mount.join(path)).collect()
    }
}

fn groups(own: &ProcessCGroups, mounts: MountInfos) -> Vec<Group> {
    let group = |mount: MountInfo| {
        let own = match mount.fs_type.as_str() {
            "cgroup2" => own.0.iter().find(|group| group.controllers.is_empty()),
            "cgroup" => {
                let mut limiting = ["memory", "cpu"].map(str::to_owned).into_iter();
                let controller = limiting.find(|name| mount.super_options.contains_key(name))?;
                own.0.iter().find(|group| group.controllers.contains(&controller))
            }
            _ => None,
        };
        // In a container, the mount shows the group itself.
        let path = Path::new(&own?.pathname)
            .strip_prefix(mount.root)
            .unwrap_or(Path::new(""));
        Some(Group {
            path: path.into(),
            mount: mount.mount_point,
        })
    };
    mounts.into_iter().filter_map(group).collect()
}

/// The quota of a group, in seconds for each second.
fn quota(group: &Path) -> Option<f64> {
    let number = |name: &str| shown(group.join(name)).trim().parse::<f64>().ok();
    let both = shown(group.join("cpu.max"));
    let of_second = both.trim().split_once(' ').and_then(|(quota, period)| {
        let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
        Some(quota / period)
    });
    let of_first = || Some(number("cpu.cfs_quota_us").filter(|quota| *quota > 0.0)? / number("cpu.cfs_period_us")?);
    of_second.or_else(of_first)
}

/// The memory that a group may use, in bytes. Version 1 says an enormous number for none.
fn memory(group: &Path) -> Option<u64> {
    let number = |name: &str| shown(group.join(name)).trim().parse::<u64>().ok();
    let limit = number("memory.max").or_else(|| number("memory.limit_in_bytes"))?;
    (limit < 1 << 60).then_some(limit)
}

#[cfg(test)]
mod tests {
    use procfs::FromRead as _;

    use super::*;

    #[test]
    fn the_groups_of_both_versions_are_found_where_they_are_mounted() {
        let group = |mount: &str, path: &str| Group {
            mount: mount.into(),
            path: path.into(),
        };
        let groups = |own: &str, mounts: &str| {
            let own = ProcessCGroups::from_read(own.as_bytes()).unwrap();
            super::groups(&own, MountInfos::from_read(mounts.as_bytes()).unwrap())
        };
        let first = "36 30 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                     37 30 0:32 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n\
                     38 30 0:33 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n";
        assert_eq!(
            groups("9:pids:/\n4:memory:/a/b\n2:cpu,cpuacct:/c\n", first),
            [
                group("/sys/fs/cgroup/memory", "a/b"),
                group("/sys/fs/cgroup/cpu,cpuacct", "c")
            ]
        );
        let second = "30 24 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";
        assert_eq!(
            groups("0::/user.slice/x.scope\n", second),
            [group("/sys/fs/cgroup", "user.slice/x.scope")]
        );
        let in_a_container = "30 24 0:27 /docker/abc /sys/fs/cgroup/memory ro - cgroup memory rw,memory\n";
        assert_eq!(
            groups("3:memory:/docker/abc\n", in_a_container),
            [group("/sys/fs/cgroup/memory", "")]
        );
        assert_eq!(groups("", ""), []);
    }

    #[test]
    fn a_group_has_the_least_of_what_it_and_those_above_it_may_use() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a/cpu.max", "150000 100000\n");
        write("a/b/cpu.max", "max 100000\n");
        write("a/memory.max", "max\n");
        write("a/b/memory.max", "1073741824\n");
        write("one/cpu.cfs_quota_us", "-1\n");
        write("one/cpu.cfs_period_us", "100000\n");
        write("two/cpu.cfs_quota_us", "250000\n");
        write("two/cpu.cfs_period_us", "100000\n");
        write("one/memory.limit_in_bytes", "9223372036854771712\n");
        let of = |path: &str| {
            let path = folder.path().join(path);
            (quota(&path), memory(&path))
        };
        assert_eq!((of("a"), of("a/b")), ((Some(1.5), None), (None, Some(1 << 30))));
        assert_eq!((of("one"), of("two")), ((None, None), (Some(2.5), None)));
        let own = Group {
            mount: folder.path().into(),
            path: "a/b".into(),
        };
        let paths = ["a/b", "a", ""].map(|path| folder.path().join(path));
        assert_eq!(own.with_those_above(), paths);
    }
}
