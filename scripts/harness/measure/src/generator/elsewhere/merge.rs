//! Makes one load of those of several machines: sums of counts, and latencies of all requests together.

use std::collections::BTreeMap;
use std::time::Duration;

use agent::words::LoadSeen;

use super::super::latencies;
use super::super::latencies::Counts;
use super::super::{Elsewhere, Load};
use super::link::Link;
use crate::machine::load::{Ticks, Used};

/// What one machine made, and what is needed to judge it.
#[derive(Debug)]
pub struct Part<'a> {
    /// What its generator reported.
    pub load: Load,
    /// What its agent saw.
    pub seen: LoadSeen,
    /// When it began, by our clock, in nanoseconds.
    pub began_ns: i128,
    /// Cpus that it could use.
    pub cpus: &'a [u32],
    /// Its link.
    pub link: &'a Link,
    /// Whether it is this very machine.
    pub is_here: bool,
}

/// The whole load. `together` is what the links carry at the same time, to and from the machines, in Mbit/s.
pub fn merge(parts: Vec<Part<'_>>, together: Option<(f64, f64)>) -> Load {
    let cpu = |part: &Part<'_>| Duration::from_micros(part.seen.cpu_us);
    let of_a_cpu = |part: &Part<'_>| cpu(part).as_secs_f64() / part.cpus.len().max(1) as f64;
    let busiest = parts
        .iter()
        .max_by(|one, other| of_a_cpu(one).total_cmp(&of_a_cpu(other)));
    let megabits = |bytes: u64, part: &Part<'_>| bytes as f64 * 8e-6 / part.load.seconds;
    let share = |rate: f64, most: f64| if most > 0.0 { rate / most } else { 0.0 };
    let of_each = parts.iter().map(|part| {
        let to = share(megabits(part.seen.received, part), part.link.to_mbit);
        to.max(share(megabits(part.seen.sent, part), part.link.from_mbit))
    });
    let sums = parts.iter().fold((0.0, 0.0), |(to, from), part| {
        (
            to + megabits(part.seen.received, part),
            from + megabits(part.seen.sent, part),
        )
    });
    let of_all = together.map_or(0.0, |(to, from)| share(sums.0, to).max(share(sums.1, from)));
    let known = |part: &Part<'_>| Duration::from_micros(part.seen.known_us);
    let here = parts.iter().filter(|part| part.is_here).map(known).sum();
    // The one that was disturbed most decides.
    let used = parts
        .iter()
        .map(used)
        .max_by(|one, other| taken(one).total_cmp(&taken(other)))
        .unwrap_or_default();
    let elsewhere = Elsewhere {
        busiest: busiest.map_or((Duration::ZERO, 1), |part| (cpu(part), part.cpus.len())),
        link_share: of_each.fold(of_all, f64::max),
        used,
        here,
    };
    let cpu = parts.iter().map(cpu).sum();
    let load = match <[Part<'_>; 1]>::try_from(parts) {
        Ok([only]) => only.load,
        Err(several) => add_up(&several),
    };
    Load {
        cpu,
        elsewhere: Some(elsewhere),
        ..load
    }
}

/// Sums, and the time from the first beginning to the last end.
fn add_up(parts: &[Part<'_>]) -> Load {
    let mut requests = BTreeMap::new();
    let mut errors = BTreeMap::new();
    let mut seen = Counts::new();
    for part in parts {
        for (sum, of_part) in [(&mut requests, &part.load.requests), (&mut errors, &part.load.errors)] {
            for (name, count) in of_part {
                *sum.entry(name.clone()).or_default() += count;
            }
        }
        for (microseconds, count) in part.seen.latencies.iter().flatten() {
            *seen.entry(*microseconds).or_default() += count;
        }
    }
    let began = |part: &Part<'_>| part.began_ns as f64 / 1e9;
    let first = parts.iter().map(began).fold(f64::INFINITY, f64::min);
    let ends = parts.iter().map(|part| began(part) - first + part.load.seconds);
    Load {
        requests,
        errors,
        beside: 0,
        seconds: ends.fold(0.0, f64::max),
        latency: latencies::summary(&seen),
        // The median of medians is no median, and the generator does not tell that of each request.
        first_byte: None,
        cpu: Duration::ZERO,
        body_bytes: parts.iter().map(|part| part.load.body_bytes).sum(),
        elsewhere: None,
    }
}

/// What the cpus of its machine did meanwhile. The CPU time of interrupts is left out: how that kernel accounts it is not known.
fn used(part: &Part<'_>) -> Used {
    let [before, after] = part.seen.stat.each_ref().map(|stat| Ticks::of(stat, part.cpus));
    let wall = Duration::from_micros(part.seen.wall_us);
    Used {
        available: wall.saturating_mul(u32::try_from(part.cpus.len()).unwrap_or(u32::MAX)),
        busy: after.busy_since(before, None),
        known: Duration::from_micros(part.seen.known_us),
        steal: after.stolen_since(before),
    }
}

fn taken(used: &Used) -> f64 {
    used.others_share() + used.steal_share()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: Link = Link {
        rtt_us: 100.0,
        to_mbit: 1000.0,
        from_mbit: 1000.0,
        mtu: None,
        interface_mbit: None,
    };

    /// A second of load on two cpus, in which answers took 1 ms but for those of `slow`.
    fn part(began_ms: i128, answers: u64, slow: &[(u64, u64)], cpu_ms: u64) -> Part<'static> {
        let latencies = [&[(1000, answers)], slow].concat();
        let counts: Counts = latencies.iter().copied().collect();
        let all = counts.values().sum();
        Part {
            load: Load {
                requests: BTreeMap::from([("200".into(), all)]),
                errors: BTreeMap::from([("reset".into(), 1)]),
                beside: 0,
                seconds: 1.0,
                latency: latencies::summary(&counts),
                first_byte: Some(0.5),
                cpu: Duration::ZERO,
                body_bytes: Some(13 * all),
                elsewhere: None,
            },
            seen: LoadSeen {
                started_ns: 0,
                report: Ok(String::new()),
                cpu_us: cpu_ms * 1000,
                known_us: cpu_ms * 1000,
                wall_us: 1_000_000,
                stat: [
                    "cpu0 0 0 0 0 0 0 0 0".into(),
                    format!("cpu0 {} 0 0 0 0 0 0 0", cpu_ms / 10),
                ],
                received: 50_000_000,
                sent: 1_000_000,
                latencies: Some(latencies),
            },
            began_ns: began_ms * 1_000_000,
            cpus: &[0, 1],
            link: &LINK,
            is_here: false,
        }
    }

    #[test]
    fn counts_add_up_and_percentiles_are_those_of_all_requests() {
        // One in twenty of the second machine's is slow: its own p95 is 1 ms, its p99 100 ms, and the mean of two p99 50.5 ms.
        let load = merge(vec![part(0, 900, &[], 500), part(10, 95, &[(100_000, 5)], 1500)], None);
        assert_eq!(load.requests["200"], 1000);
        assert_eq!((load.errors["reset"], load.body_bytes), (2, Some(13_000)));
        assert!((load.seconds - 1.01).abs() < 1e-9, "{}", load.seconds);
        let latency = load.latency.unwrap();
        assert_eq!((latency.p99, latency.p99_9, latency.max), (1.0, 100.0, 100.0));
        assert!((latency.mean - 1.495).abs() < 1e-9, "{latency:?}");
        assert_eq!(load.first_byte, None, "the median of two medians is none");
        assert_eq!(load.cpu, Duration::from_secs(2));
        // The busier of the two is asked.
        assert!((load.generator_share(7) - 1.5 / 2.0 / 1.01).abs() < 1e-9);
        assert_eq!(load.cpu_here(), Duration::ZERO);
    }

    #[test]
    fn one_machine_keeps_its_own_figures() {
        let load = merge(vec![part(0, 99, &[(5000, 1)], 500)], None);
        assert_eq!((load.seconds, load.first_byte), (1.0, Some(0.5)));
        assert!((load.generator_share(1) - 0.25).abs() < 1e-9);
        let mut here = part(0, 99, &[], 500);
        here.is_here = true;
        assert_eq!(merge(vec![here], None).cpu_here(), Duration::from_millis(500));
    }

    #[test]
    fn a_link_is_full_by_itself_or_together_with_the_others() {
        let share = |together| {
            let parts = vec![part(0, 10, &[], 500), part(0, 10, &[], 500)];
            merge(parts, together).elsewhere.unwrap().link_share
        };
        // 50 MB in a second are 400 Mbit/s.
        assert!((share(Some((2000.0, 2000.0))) - 0.4).abs() < 1e-9);
        assert!((share(Some((900.0, 900.0))) - 8.0 / 9.0).abs() < 1e-9);
    }

    #[test]
    fn who_else_uses_a_load_machine_is_seen() {
        let mut disturbed = part(0, 10, &[], 500);
        disturbed.seen.stat[1] = "cpu0 100 0 0 0 0 0 0 0".into();
        let load = merge(vec![part(0, 10, &[], 500), disturbed], None);
        let used = load.elsewhere.unwrap().used;
        assert!((used.others_share() - 0.25).abs() < 1e-9, "{used:?}");
    }
}
