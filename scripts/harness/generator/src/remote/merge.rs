//! Merges the loads of several machines into one: sums of counts, and latencies of all requests together.

use std::time::Duration;

use agent::protocol::LoadReport;
use model::LoadMachine;

use crate::latencies;
use crate::latencies::Counts;
use crate::{Load, RemoteStats};
use machine::load::{Ticks, Used};

/// What one machine made.
#[derive(Debug)]
pub struct Part {
    /// What its generator reported.
    pub load: Load,
    /// What its agent saw.
    pub seen: LoadReport,
    /// When it began, by our clock, in seconds.
    pub began: f64,
    /// Cpus that it could use.
    pub cpus: Vec<u32>,
    /// It and its link.
    pub machine: LoadMachine,
}

impl Part {
    /// Megabits per second to the machine and from it.
    fn rates(&self) -> [f64; 2] {
        self.seen.bytes.map(|bytes| bytes as f64 * 8e-6 / self.load.seconds)
    }

    /// The CPU time of interrupts is left out: how that kernel accounts it is not known.
    fn stats(&self) -> RemoteStats {
        let [before, after] = self.seen.stat.each_ref().map(|stat| Ticks::of(stat, &self.cpus));
        let known = seconds(self.seen.known_cpu);
        let available = seconds(self.seen.wall * self.cpus.len() as f64);
        RemoteStats {
            busiest: (seconds(self.seen.cpu), self.cpus.len()),
            link_share: link_share(self.rates(), [self.machine.to_mbit, self.machine.from_mbit]),
            used: Used {
                available,
                busy: after.busy_since(before, available, None),
                known,
                steal: after.stolen_since(before),
            },
            here: if self.machine.is_this_one {
                known
            } else {
                Duration::ZERO
            },
        }
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// The larger of two shares of what links carry, in either direction.
fn link_share(rates: [f64; 2], carried: [f64; 2]) -> f64 {
    let shares = rates.iter().zip(carried).filter(|(_, carried)| *carried > 0.0);
    shares.map(|(rate, carried)| rate / carried).fold(0.0, f64::max)
}

/// Two machines' statistics of one load: the worse of both.
fn worse(one: RemoteStats, other: RemoteStats) -> RemoteStats {
    let by_share = |(cpu, cpus): (Duration, usize)| cpu.as_secs_f64() / cpus.max(1) as f64;
    let by_disturbance = |used: Used| used.others_share() + used.steal_share();
    let is_busier = by_share(other.busiest) >= by_share(one.busiest);
    let is_more_disturbed = by_disturbance(other.used) >= by_disturbance(one.used);
    RemoteStats {
        busiest: if is_busier { other.busiest } else { one.busiest },
        link_share: one.link_share.max(other.link_share),
        used: if is_more_disturbed { other.used } else { one.used },
        here: one.here + other.here,
    }
}

/// The whole load. `together` is what the links carry at the same time, to and from the machines, in Mbit/s.
pub fn merge(parts: Vec<Part>, together: [f64; 2]) -> Load {
    let sums = [0, 1].map(|direction| parts.iter().map(|part| part.rates()[direction]).sum());
    let mut remote = parts.iter().map(Part::stats).reduce(worse);
    if let Some(remote) = &mut remote {
        remote.link_share = remote.link_share.max(link_share(sums, together));
    }
    let cpu = parts.iter().map(|part| seconds(part.seen.cpu)).sum();
    let load = match <[Part; 1]>::try_from(parts) {
        Ok([only]) => only.load,
        Err(several) => add_up(&several),
    };
    Load { cpu, remote, ..load }
}

/// Sums, and the time from the first beginning to the last end.
fn add_up(parts: &[Part]) -> Load {
    let mut sum = Load::default();
    let mut seen = Counts::new();
    for part in parts {
        sum.add_counts(&part.load);
        for (microseconds, count) in &part.seen.latencies {
            *seen.entry(*microseconds).or_default() += count;
        }
    }
    let first = parts.iter().map(|part| part.began).fold(f64::INFINITY, f64::min);
    let ends = parts.iter().map(|part| part.began - first + part.load.seconds);
    Load {
        seconds: ends.fold(0.0, f64::max),
        latency: latencies::summary(&seen),
        body_bytes: parts.iter().map(|part| part.load.body_bytes).sum(),
        // The median of medians is no median, and the generator does not report each request's first byte.
        first_byte: None,
        ..sum
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn machine(is_this_one: bool) -> LoadMachine {
        LoadMachine {
            is_this_one,
            to_mbit: 1000.0,
            from_mbit: 1000.0,
            ..samples::full().environment.load_machines.remove(0)
        }
    }

    /// A second of load on two cpus, in which answers took 1 ms except the `slow` ones.
    fn part(machine: &LoadMachine, began: f64, answers: u64, slow: &[(u64, u64)], cpu: f64) -> Part {
        let latencies = [&[(1000, answers)], slow].concat();
        let counts: Counts = latencies.iter().copied().collect();
        let all = counts.values().sum();
        Part {
            load: Load {
                requests: BTreeMap::from([("200".into(), all)]),
                errors: BTreeMap::from([("reset".into(), 1)]),
                seconds: 1.0,
                latency: latencies::summary(&counts),
                first_byte: Some(0.5),
                body_bytes: Some(13 * all),
                ..Load::default()
            },
            seen: LoadReport {
                started: 0.0,
                report: String::new(),
                cpu,
                known_cpu: cpu,
                wall: 1.0,
                // Cpu 1 was idle all the time.
                stat: [
                    "cpu0 0 0 0 0\ncpu1 0 0 0 0".into(),
                    format!("cpu0 0 0 0 {}\ncpu1 0 0 0 100", 100.0 - cpu * 100.0),
                ],
                bytes: [50_000_000, 1_000_000],
                latencies,
            },
            began,
            cpus: vec![0, 1],
            machine: machine.clone(),
        }
    }

    #[test]
    fn counts_add_up_and_percentiles_are_those_of_all_requests() {
        let other = machine(false);
        // One in twenty of the second machine's is slow: its own p95 is 1 ms, its p99 100 ms, and the mean of two p99 50.5 ms.
        let load = merge(
            vec![
                part(&other, 0.0, 900, &[], 0.5),
                part(&other, 0.01, 95, &[(100_000, 5)], 1.5),
            ],
            [2000.0; 2],
        );
        assert_eq!(load.requests["200"], 1000);
        assert_eq!((load.errors["reset"], load.body_bytes), (2, Some(13_000)));
        assert!((load.seconds - 1.01).abs() < 1e-9, "{}", load.seconds);
        let latency = load.latency.unwrap();
        assert_eq!((latency.p99, latency.p99_9, latency.max), (1.0, 100.0, 100.0));
        assert!((latency.mean - 1.495).abs() < 1e-9, "{latency:?}");
        assert_eq!(load.first_byte, None, "the median of two medians is none");
        assert_eq!(load.cpu, Duration::from_secs(2));
        // The busier of the two machines counts.
        assert!((load.generator_share(7) - 1.5 / 2.0 / 1.01).abs() < 1e-9);
        assert_eq!(load.cpu_here(), Duration::ZERO);
    }

    #[test]
    fn one_machine_keeps_its_own_figures() {
        let (other, own) = (machine(false), machine(true));
        let load = merge(vec![part(&other, 0.0, 99, &[(5000, 1)], 0.5)], [1000.0; 2]);
        assert_eq!((load.seconds, load.first_byte), (1.0, Some(0.5)));
        assert!((load.generator_share(1) - 0.25).abs() < 1e-9);
        let here = part(&own, 0.0, 99, &[], 0.5);
        assert_eq!(merge(vec![here], [1000.0; 2]).cpu_here(), Duration::from_millis(500));
    }

    #[test]
    fn a_link_is_full_by_itself_or_together_with_the_others() {
        let other = machine(false);
        let share = |together| {
            let parts = vec![part(&other, 0.0, 10, &[], 0.5), part(&other, 0.0, 10, &[], 0.5)];
            merge(parts, together).remote.unwrap().link_share
        };
        // 50 MB in a second are 400 Mbit/s.
        assert!((share([2000.0; 2]) - 0.4).abs() < 1e-9);
        assert!((share([900.0; 2]) - 8.0 / 9.0).abs() < 1e-9);
    }

    #[test]
    fn who_else_uses_a_load_machine_is_seen() {
        let other = machine(false);
        let mut disturbed = part(&other, 0.0, 10, &[], 0.5);
        disturbed.seen.stat[1] = "cpu0 0 0 0 0\ncpu1 0 0 0 100".into();
        let load = merge(vec![part(&other, 0.0, 10, &[], 0.5), disturbed], [2000.0; 2]);
        let used = load.remote.unwrap().used;
        assert!((used.others_share() - 0.25).abs() < 1e-9, "{used:?}");
    }
}
