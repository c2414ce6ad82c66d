//! Divides the cpus between server and load generator. Neither takes the other's time, and cores with two threads are kept
//! whole where possible, because the speed of a thread depends on its sibling.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::ensure;

use crate::affinity::allowed;
use crate::cgroup;
use crate::kernel_files::read_small_file;

/// Cpus of one machine, divided between server and load generator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Split {
    /// Cpus of the server.
    pub server: Vec<u32>,
    /// Cpus of the load generator.
    pub generator: Vec<u32>,
    /// Cpus of the database behind the server; empty without one. They are the generator's where there are too few.
    pub database: Vec<u32>,
    /// Whether both have to share a core.
    pub shared_core: bool,
    /// Whether servers of cheap answers get a [quota](crate::quota) of their cpus' time, so that the load generator is not the limit.
    pub quota: bool,
}

impl Split {
    /// The default split of the cpus that this process may use, for when none has been tried out.
    pub fn of_this_machine() -> anyhow::Result<Self> {
        Topology::of_this_machine().usual()
    }

    /// All cpus in use.
    pub fn cpus(&self) -> Vec<u32> {
        let mut cpus = [self.server.as_slice(), &self.generator].concat();
        cpus.extend(self.database.iter().filter(|cpu| !self.generator.contains(cpu)));
        cpus
    }

    /// With cpus for a database, if it has none yet: the second half of the generator's, or the only one that it has, which both then
    /// share. If the load comes from elsewhere, it is the second half of the server's.
    #[must_use]
    pub fn with_database(mut self) -> Self {
        if !self.database.is_empty() {
            return self;
        }
        self.database = match self.generator.len() {
            0 => self.server.split_off(self.server.len().div_ceil(2)),
            1 => self.generator.clone(),
            several => self.generator.split_off(several.div_ceil(2)),
        };
        self
    }

    /// Share of its cpus that the database used in so many `seconds`, from its CPU time in seconds.
    pub fn share_of_database(&self, cpu: Option<f64>, seconds: f64) -> Option<f64> {
        let cpus = self.database.len();
        cpu.filter(|_| cpus > 0).map(|cpu| cpu / seconds / cpus as f64)
    }
}

/// The cpus that this process may use, by core.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// Cpus of each core, in ascending order; several if a core has several threads.
    pub cores: Vec<Vec<u32>>,
    /// CPU time that the control group allows, in seconds for each second, where that is less than there are cpus.
    limit: Option<f64>,
}

impl Topology {
    /// The topology that the kernel shows.
    pub fn of_this_machine() -> Self {
        let siblings = |cpu: u32| {
            let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
            read_small_file(path).unwrap_or_else(|| cpu.to_string())
        };
        let machine = Self::from_cores(allowed().into_iter().map(|cpu| (cpu, siblings(cpu))));
        match cgroup::limits().cpus {
            Some(limit) => machine.within(limit),
            None => machine,
        }
    }

    /// As many whole cpus as the limit gives time to, the first ones: the kernel stops whoever uses more, in the middle of a load.
    fn within(mut self, limit: f64) -> Self {
        if limit < self.cpu_count() as f64 {
            self.limit = Some(limit);
        }
        let mut left = (1..=self.cpu_count()).take_while(|cpus| *cpus as f64 <= limit).count();
        for core in &mut self.cores {
            core.truncate(left);
            left -= core.len();
        }
        self.cores.retain(|core| !core.is_empty());
        self
    }

    /// How many cpus may be used, and why not more.
    fn usable(&self) -> String {
        let limit = self
            .limit
            .map(|limit| format!(", because its control group has the time of {limit:.1} cpus"));
        format!("{}{}", self.cpu_count(), limit.unwrap_or_default())
    }

    /// Groups cpus by the name of their core.
    pub fn from_cores(cpus: impl IntoIterator<Item = (u32, String)>) -> Self {
        let mut cores: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (cpu, core) in cpus {
            cores.entry(core).or_default().push(cpu);
        }
        let mut cores: Vec<Vec<u32>> = cores.into_values().collect();
        for core in &mut cores {
            core.sort_unstable();
        }
        cores.sort();
        Self { cores, limit: None }
    }

    /// The number of cpus.
    pub fn cpu_count(&self) -> usize {
        self.cores.iter().map(Vec::len).sum()
    }

    /// The default split. The server gets one core of up to seven, or a quarter of more; on a single core its threads are
    /// divided in the same way.
    pub fn usual(&self) -> anyhow::Result<Split> {
        let cpus = self.cpu_count();
        let of_the_server = match self.cores.as_slice() {
            [_] => (cpus / 4).max(1),
            cores => cores[..(cores.len() / 4).max(1).min(cores.len())]
                .iter()
                .map(Vec::len)
                .sum(),
        };
        self.counted(of_the_server, cpus - of_the_server)
    }

    /// All cpus serve; the load comes from elsewhere.
    pub fn all_serving(&self) -> Split {
        Split {
            server: self.cores.concat(),
            ..Split::default()
        }
    }

    /// A split by numbers of cpus. The server gets the first cores, whole ones as far as possible. The generator first gets
    /// cores that the server does not use, then the other threads of a core that it does.
    pub fn counted(&self, server: usize, generator: usize) -> anyhow::Result<Split> {
        let (requested, usable) = (server.saturating_add(generator), self.usable());
        ensure!(
            self.cpu_count() >= 2,
            "measuring needs two cpus, one for the server and one for the load generator; this process may use {usable}"
        );
        ensure!(
            requested <= self.cpu_count(),
            "the split needs {requested} cpus, and this process may use {usable}"
        );
        let mut of_the_server = self.cores.concat();
        let mut left = of_the_server.split_off(server);
        let shared = of_the_server.last().and_then(|last| self.core_of(*last));
        left.sort_by_key(|cpu| shared.is_some_and(|core| core.contains(cpu)));
        left.truncate(generator);
        self.listed(&of_the_server, &left)
    }

    /// A split by lists of cpus, in any order.
    pub fn listed(&self, server: &[u32], generator: &[u32]) -> anyhow::Result<Split> {
        ensure!(
            !server.is_empty() && !generator.is_empty(),
            "server and load generator need one cpu each at least"
        );
        let mut seen = BTreeSet::new();
        for cpu in server.iter().chain(generator).copied() {
            ensure!(
                self.core_of(cpu).is_some(),
                "this process may not use cpu {cpu}; `bench doctor` shows which it may"
            );
            ensure!(seen.insert(cpu), "cpu {cpu} is named twice; no cpu can serve and load");
        }
        let sorted = |cpus: &[u32]| {
            let mut cpus = cpus.to_vec();
            cpus.sort_unstable();
            cpus
        };
        let has = |core: &[u32], part: &[u32]| core.iter().any(|cpu| part.contains(cpu));
        Ok(Split {
            server: sorted(server),
            generator: sorted(generator),
            shared_core: self.cores.iter().any(|core| has(core, server) && has(core, generator)),
            ..Split::default()
        })
    }

    fn core_of(&self, cpu: u32) -> Option<&[u32]> {
        let core = self.cores.iter().find(|core| core.contains(&cpu))?;
        Some(core)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Cores with so many threads. The second threads have the higher numbers, as on most machines.
    pub fn machine(cpus: u32, threads: u32) -> Topology {
        let cores = cpus / threads;
        Topology::from_cores((0..cpus).map(|cpu| (cpu, (cpu % cores).to_string())))
    }

    fn refused(split: anyhow::Result<Split>) -> String {
        split.unwrap_err().to_string()
    }

    fn split(server: &[u32], generator: &[u32], shared_core: bool) -> Split {
        Split {
            server: server.to_vec(),
            generator: generator.to_vec(),
            database: Vec::new(),
            shared_core,
            quota: false,
        }
    }

    #[test]
    fn the_server_gets_the_smaller_part_and_only_the_only_core_is_divided() {
        for (cpus, server) in [(2, 1), (3, 1), (4, 1), (8, 2), (16, 4)] {
            let split = machine(cpus, 1).usual().unwrap();
            assert_eq!(split.server.len(), server, "{cpus} cpus");
            assert_eq!(split.generator.len(), cpus as usize - server);
            assert!(!split.shared_core);
        }
        let two_cores = machine(4, 2).usual().unwrap();
        assert_eq!(two_cores, split(&[0, 2], &[1, 3], false));
        assert_eq!(machine(2, 2).usual().unwrap(), split(&[0], &[1], true));
    }

    #[test]
    fn one_cpu_is_too_few() {
        for cpus in [0, 1] {
            let reason = refused(machine(cpus, 1).usual());
            assert!(
                reason.starts_with("measuring needs two cpus") && reason.ends_with(&format!(" may use {cpus}")),
                "{reason}"
            );
        }
    }

    #[test]
    fn a_limit_leaves_whole_cpus() {
        let machine = machine(4, 2);
        let within = |limit| machine.clone().within(limit);
        assert_eq!(within(2.9).cores, [[0, 2]]);
        assert_eq!(within(3.0).cores, [vec![0, 2], vec![1]]);
        assert_eq!(within(4.0), machine);
        let reason = refused(within(1.5).usual());
        assert!(
            reason.ends_with("may use 1, because its control group has the time of 1.5 cpus"),
            "{reason}"
        );
        assert!(refused(within(0.5).usual()).contains("may use 0, because"));
    }

    #[test]
    fn the_generator_gets_the_servers_sibling_last() {
        let machine = machine(8, 2);
        let counted = |server, generator| machine.counted(server, generator);
        assert_eq!(counted(1, 6).unwrap(), split(&[0], &[1, 2, 3, 5, 6, 7], false));
        assert_eq!(counted(1, 7).unwrap(), split(&[0], &[1, 2, 3, 4, 5, 6, 7], true));
        assert_eq!(counted(3, 2).unwrap(), split(&[0, 1, 4], &[2, 6], false));
        assert!(refused(counted(1, 8)).starts_with("the split needs 9 cpus, and this process may use 8"));
        assert!(refused(counted(usize::MAX, 8)).starts_with(&format!("the split needs {} cpus", usize::MAX)));
        for (server, generator) in [(0, 1), (1, 0)] {
            assert!(refused(counted(server, generator)).contains("need one cpu each"));
        }
    }

    #[test]
    fn named_cpus_are_looked_at() {
        let machine = machine(4, 2);
        assert_eq!(machine.listed(&[2, 0], &[3]).unwrap(), split(&[0, 2], &[3], false));
        assert_eq!(machine.listed(&[0], &[2]).unwrap(), split(&[0], &[2], true));
        assert!(refused(machine.listed(&[0], &[4])).starts_with("this process may not use cpu 4;"));
        assert!(refused(machine.listed(&[0, 1], &[1])).starts_with("cpu 1 is named twice;"));
    }

    #[test]
    fn a_database_gets_half_of_the_generators_cpus_or_shares_the_only_one() {
        let parts = |cpus: u32| {
            let split = machine(cpus, 1).usual().unwrap().with_database();
            (split.server, split.generator, split.database)
        };
        assert_eq!(parts(2), (vec![0], vec![1], vec![1]));
        assert_eq!(parts(3), (vec![0], vec![1], vec![2]));
        assert_eq!(parts(4), (vec![0], vec![1, 2], vec![3]));
        let four = machine(4, 1).usual().unwrap().with_database();
        assert_eq!(four.clone().with_database(), four, "once");
        let two = machine(2, 1).usual().unwrap().with_database();
        assert_eq!(two.cpus(), [0, 1]);
        assert_eq!(two.share_of_database(Some(0.5), 2.0), Some(0.25));
        let elsewhere = machine(3, 1).all_serving().with_database();
        assert_eq!((elsewhere.server, elsewhere.database), (vec![0, 1], vec![2]));
    }

    #[test]
    fn this_machine_shows_its_cpus() {
        assert!(!allowed().is_empty());
        assert!(Topology::of_this_machine().cpu_count() <= allowed().len());
    }
}
