//! Which cpus serve and which generate load. They are disjoint, so that neither takes the other's time, and they are
//! split by whole cores where a core has two threads: a thread's speed depends on what its sibling does.

use std::collections::BTreeMap;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use super::shown;

/// Cpus of one machine, divided between server and load generator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Cpus of the server: the smaller part, so that the server is the limit.
    pub server: Vec<u32>,
    /// Cpus of the load generator.
    pub generator: Vec<u32>,
    /// Whether both had to share a core.
    pub shared_core: bool,
}

/// This machine has one cpu only.
#[derive(Debug, thiserror::Error)]
#[error("measuring needs two cpus, one for the server and one for the load generator; this process may use {0}")]
pub struct TooFew(usize);

impl Split {
    /// The split of the cpus that this process may use.
    pub fn of_this_machine() -> Result<Self, TooFew> {
        let cpus = allowed();
        let siblings = |cpu: u32| {
            let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
            shown(path).unwrap_or_else(|| cpu.to_string())
        };
        let named: Vec<(u32, String)> = cpus.iter().map(|cpu| (*cpu, siblings(*cpu))).collect();
        split(&named)
    }
}

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

/// Restricts a process to `cpus`; pid 0 is the caller.
pub fn pin(pid: i32, cpus: &[u32]) -> nix::Result<()> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(*cpu as usize)?;
    }
    sched_setaffinity(Pid::from_raw(pid), &set)
}

/// Divides cpus, each given with the name of its core: the server gets one core of up to seven, a quarter beyond.
fn split(cpus: &[(u32, String)]) -> Result<Split, TooFew> {
    if cpus.len() < 2 {
        return Err(TooFew(cpus.len()));
    }
    let mut cores: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (cpu, core) in cpus {
        cores.entry(core).or_default().push(*cpu);
    }
    let mut cores: Vec<Vec<u32>> = cores.into_values().collect();
    cores.sort();
    if let [only] = cores.as_slice() {
        let (server, generator) = only.split_at((only.len() / 4).max(1));
        return Ok(Split {
            server: server.to_vec(),
            generator: generator.to_vec(),
            shared_core: true,
        });
    }
    let (server, generator) = cores.split_at((cores.len() / 4).max(1));
    let sorted = |part: &[Vec<u32>]| {
        let mut part = part.concat();
        part.sort_unstable();
        part
    };
    Ok(Split {
        server: sorted(server),
        generator: sorted(generator),
        shared_core: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cpus whose core is named by `core`.
    fn machine(cpus: u32, core: impl Fn(u32) -> u32) -> Vec<(u32, String)> {
        (0..cpus).map(|cpu| (cpu, core(cpu).to_string())).collect()
    }

    #[test]
    fn the_server_gets_the_smaller_part() {
        for (cpus, server) in [(2, 1), (3, 1), (4, 1), (8, 2), (16, 4)] {
            let split = split(&machine(cpus, |cpu| cpu)).unwrap();
            assert_eq!(split.server.len(), server, "{cpus} cpus");
            assert_eq!(split.generator.len(), cpus as usize - server);
            assert!(!split.shared_core);
        }
    }

    #[test]
    fn a_core_with_two_threads_is_not_divided() {
        let split = split(&machine(4, |cpu| cpu % 2)).unwrap();
        assert_eq!(
            split,
            Split {
                server: vec![0, 2],
                generator: vec![1, 3],
                shared_core: false
            }
        );
    }

    #[test]
    fn one_core_with_two_threads_is_divided_and_said_so() {
        let split = split(&machine(2, |_| 0)).unwrap();
        assert_eq!(
            split,
            Split {
                server: vec![0],
                generator: vec![1],
                shared_core: true
            }
        );
    }

    #[test]
    fn one_cpu_is_too_few() {
        assert!(split(&machine(1, |cpu| cpu)).is_err());
    }

    #[test]
    fn this_machine_shows_its_cpus() {
        assert!(!allowed().is_empty());
    }
}
