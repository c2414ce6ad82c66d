//! How wide a server may be: the numbers of workers to compare, and which cpus a server of so many gets.
//!
//! **One cpu of each core first**, and second threads only when every core has a worker. Two threads of a core share what executes
//! instructions: a second worker on the core of the first one would show what the processor's threads are worth, and not how the
//! server scales. So all widths up to the number of cores are alike, and only those are fitted (`analyze::scaling`).

use std::collections::BTreeSet;

use anyhow::ensure;

use super::cpus::{Split, Topology};

impl Topology {
    /// Numbers of workers to compare on the cpus `server`, ascending: 1, 2, 4, 8 …, one for each core, and one for each cpu.
    pub fn widths(&self, server: &[u32]) -> anyhow::Result<Vec<u32>> {
        let serving = server.len();
        ensure!(
            serving >= 2,
            "only {serving} of {} cpus would serve, and workers are compared on 2 or more: that takes a machine with 4 cpus \
             (or 3 and --split 2:1), or another machine for the load (--load-from)",
            self.cpu_count()
        );
        let doubled = std::iter::successors(Some(1), |width: &usize| width.checked_mul(2));
        let mut widths: BTreeSet<usize> = doubled.take_while(|width| *width < serving).collect();
        widths.extend([self.cores_of(server), serving]);
        Ok(widths
            .into_iter()
            .filter_map(|width| u32::try_from(width).ok())
            .collect())
    }

    /// Number of cores to which these cpus belong.
    pub fn cores_of(&self, cpus: &[u32]) -> usize {
        let touched = self.cores.iter();
        touched.filter(|core| core.iter().any(|cpu| cpus.contains(cpu))).count()
    }

    /// The same cpus in the order in which workers get them: one of each core, then the next of each core, and so on.
    fn spread(&self, cpus: &[u32]) -> Vec<u32> {
        let own = |core: &Vec<u32>| -> Vec<u32> { core.iter().copied().filter(|cpu| cpus.contains(cpu)).collect() };
        let cores: Vec<Vec<u32>> = self.cores.iter().map(own).collect();
        let most = cores.iter().map(Vec::len).max().unwrap_or(0);
        let threads = (0..most).flat_map(|thread| cores.iter().filter_map(move |core| core.get(thread).copied()));
        threads.collect()
    }
}

impl Split {
    /// The same with one cpu for each of so many `workers` of the server; with all of them for `None`, and where there are no more.
    #[must_use]
    pub fn narrowed(&self, workers: Option<u32>, machine: &Topology) -> Self {
        let Some(workers) = workers else { return self.clone() };
        let mut server = machine.spread(&self.server);
        server.truncate(workers as usize);
        server.sort_unstable();
        Self { server, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use crate::cpus::tests::machine;
    use crate::split::candidates;

    /// The widths of a run that names no split, and the cpus of a server of each.
    fn of(cpus: u32, threads: u32) -> anyhow::Result<Vec<(u32, Vec<u32>)>> {
        let machine = machine(cpus, threads);
        let split = candidates(&machine).unwrap().swap_remove(0);
        let widths = machine.widths(&split.server)?.into_iter();
        Ok(widths
            .map(|width| (width, split.narrowed(Some(width), &machine).server))
            .collect())
    }

    #[test]
    fn two_cpus_have_nothing_to_compare() {
        for (cpus, threads) in [(2, 1), (2, 2), (3, 1)] {
            let error = of(cpus, threads).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("only 1 of {cpus} cpus would serve")),
                "{error}"
            );
            assert!(!error.contains('\n'));
        }
    }

    #[test]
    fn a_worker_gets_a_core_of_its_own_as_long_as_there_are_cores() {
        for (cpus, threads, expected) in [
            (4, 1, vec![vec![0], vec![0, 1]]),
            // Two cores with two threads each: the server has one of them.
            (4, 2, vec![vec![0], vec![0, 2]]),
            (8, 1, vec![vec![0], vec![0, 1], vec![0, 1, 2, 3]]),
            // Cores {0, 4} and {1, 5} serve.
            (8, 2, vec![vec![0], vec![0, 1], vec![0, 1, 4, 5]]),
        ] {
            let (widths, found): (Vec<u32>, Vec<Vec<u32>>) = of(cpus, threads).unwrap().into_iter().unzip();
            assert_eq!(found, expected, "{cpus} cpus, {threads} threads");
            assert_eq!(widths, [1, 2, 4][..widths.len()]);
        }
        let machine = machine(64, 2);
        let (widths, found): (Vec<u32>, Vec<Vec<u32>>) = of(64, 2).unwrap().into_iter().unzip();
        assert_eq!(widths, [1, 2, 4, 8, 16, 32]);
        for (width, cpus) in widths.into_iter().zip(found) {
            assert_eq!(cpus.len(), width as usize);
            assert_eq!(machine.cores_of(&cpus), (width as usize).min(16), "{width} workers");
        }
    }

    #[test]
    fn all_cores_and_all_cpus_are_widths_even_if_they_are_no_powers_of_two() {
        let machine = machine(12, 2);
        let all: Vec<u32> = (0..12).collect();
        let widths = |server: &[u32]| machine.widths(server).unwrap();
        assert_eq!(widths(&all), [1, 2, 4, 6, 8, 12]);
        assert_eq!(widths(&[0, 1, 2]), [1, 2, 3]);
        assert_eq!(widths(&[0, 6]), [1, 2], "two threads of a core");
    }

    #[test]
    fn whoever_has_no_width_keeps_all_cpus_and_the_generator_keeps_its_own() {
        let machine = machine(8, 2);
        let split = machine.counted(4, 4).unwrap();
        assert_eq!(split.narrowed(None, &machine), split);
        assert_eq!(split.narrowed(Some(4), &machine), split);
        assert_eq!(split.narrowed(Some(100), &machine), split, "there are no more");
        let narrow = split.narrowed(Some(1), &machine);
        assert_eq!((&narrow.server, &narrow.generator), (&vec![0], &split.generator));
    }
}
