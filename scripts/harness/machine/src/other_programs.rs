//! Which programs outside the measurement use the cpus, by name.

use std::collections::BTreeMap;
use std::time::Instant;

use model::OtherProgram;
use nix::unistd::getpid;
use procfs::process::all_processes;

/// Most programs that are named.
const MOST: usize = 3;
/// Cpus that a program has to keep busy to be named.
const LEAST: f64 = 0.05;

/// The processes of this machine at one time.
#[derive(Debug)]
pub struct Processes {
    at: Instant,
    by_pid: BTreeMap<i32, Seen>,
}

#[derive(Debug, Clone)]
struct Seen {
    parent: i32,
    name: String,
    /// CPU time up to now, in ticks. What its ended children took is left out: they may have begun long before.
    ticks: u64,
}

impl Processes {
    /// All processes now; those that cannot be read are left out.
    pub fn now() -> Self {
        let stats = all_processes().into_iter().flatten().flatten();
        let seen = stats.filter_map(|process| {
            let stat = process.stat().ok()?;
            let seen = Seen {
                parent: stat.ppid,
                ticks: stat.utime + stat.stime,
                name: stat.comm,
            };
            Some((stat.pid, seen))
        });
        Self {
            at: Instant::now(),
            by_pid: seen.collect(),
        }
    }

    /// The programs that kept most of the cpus busy from `earlier` until now, the busiest first; without this process and what it started.
    pub fn busiest_since(&self, earlier: &Self) -> Vec<OtherProgram> {
        let ticks = self.at.duration_since(earlier.at).as_secs_f64() * procfs::ticks_per_second() as f64;
        busiest(&self.by_pid, &earlier.by_pid, getpid().as_raw(), ticks)
    }
}

fn busiest(now: &BTreeMap<i32, Seen>, earlier: &BTreeMap<i32, Seen>, own: i32, ticks: f64) -> Vec<OtherProgram> {
    let is_own = |pid: i32| {
        let parent = |pid: &i32| now.get(pid).map(|seen| seen.parent);
        // A pid that is used again while this is read may close a circle.
        std::iter::successors(Some(pid), parent)
            .take(now.len())
            .any(|pid| pid == own)
    };
    let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
    for (pid, seen) in now.iter().filter(|(pid, _)| !is_own(**pid)) {
        let before = earlier.get(pid).filter(|before| before.name == seen.name);
        *by_name.entry(&seen.name).or_default() += seen.ticks.saturating_sub(before.map_or(0, |before| before.ticks));
    }
    let mut found: Vec<OtherProgram> = by_name
        .into_iter()
        .map(|(name, used)| OtherProgram {
            name: name.to_owned(),
            cpus: used as f64 / ticks,
        })
        .filter(|program| program.cpus.is_finite() && program.cpus >= LEAST)
        .collect();
    found.sort_by(|one, other| other.cpus.total_cmp(&one.cpus));
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processes(list: &[(i32, i32, &str, u64)]) -> BTreeMap<i32, Seen> {
        let seen = |&(pid, parent, name, ticks): &(i32, i32, &str, u64)| {
            let name = name.to_owned();
            (pid, Seen { parent, name, ticks })
        };
        list.iter().map(seen).collect()
    }

    #[test]
    fn programs_are_named_by_what_they_used_meanwhile_and_ours_are_not() {
        let earlier = processes(&[
            (1, 0, "init", 500),
            (7, 1, "cargo", 90),
            (30, 1, "bench", 10),
            (8, 1, "old", 50),
        ]);
        let now = processes(&[
            (1, 0, "init", 501),
            (7, 1, "cargo", 100),
            (8, 1, "rustc", 60), // a pid that was used before
            (9, 7, "rustc", 90),
            (30, 1, "bench", 80),
            (31, 30, "axum-app", 900),
            (32, 31, "child", 900),
        ]);
        let found = busiest(&now, &earlier, 30, 100.0);
        let found: Vec<(&str, f64)> = found.iter().map(|program| (&*program.name, program.cpus)).collect();
        assert_eq!(found, [("rustc", 1.5), ("cargo", 0.1)]);
    }

    #[test]
    fn a_circle_of_parents_ends() {
        let now = processes(&[(5, 6, "one", 100), (6, 5, "other", 10)]);
        let found = busiest(&now, &BTreeMap::new(), 30, 100.0);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn this_machine_has_processes() {
        let now = Processes::now();
        assert!(now.by_pid.contains_key(&getpid().as_raw()));
        assert!(now.busiest_since(&now).is_empty(), "no time has passed");
    }
}
