//! Turns the slices of a round into a judged trial for each server.
//!
//! CPU per request and goodput of a trial are the server's levels in the round, after removing what the machine did to all
//! servers of a sub-round ([`polish`]); all other figures are sums over the slices that count.

use std::collections::BTreeMap;
use std::time::Duration;

use super::round::{Driven, Round, Slice};
use super::trial;
use super::trial::{TrialOutcome, TrialPlace};
use crate::database::Connections;
use crate::generator::{Load, RemoteStats};
use crate::machine::load::Used;
use crate::run::verdict;
use crate::run::verdict::Shares;
use judge::stats::{median, polish};
use record::scenario::Scenario;
use record::{Latency, LatencyFigures, Slices, Verdict, expected_answers};

/// Seconds at the beginning of a slice that are exempt from Little's law: oha opens its connections one after the other.
const RAMP_UP: f64 = 0.01;

/// A server's levels in a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    /// CPU time of the server for one expected answer, in µs; `None` without a slice that counts.
    pub cpu_us_per_request: Option<f64>,
    /// CPU time of the database for one expected answer, in µs; `None` without one.
    pub database_cpu_us_per_request: Option<f64>,
    /// Expected answers per second.
    pub goodput_rps: Option<f64>,
}

impl Levels {
    /// Scales the levels of a server that was driven apart: `beside` are those of the reference beside it, `in_round` those of
    /// the reference in the common round.
    #[must_use]
    pub fn relative_to(self, beside: Self, in_round: Self) -> Self {
        let scaled = |own: Option<f64>, beside: Option<f64>, in_round: Option<f64>| Some(own? / beside? * in_round?);
        Self {
            cpu_us_per_request: scaled(
                self.cpu_us_per_request,
                beside.cpu_us_per_request,
                in_round.cpu_us_per_request,
            ),
            database_cpu_us_per_request: scaled(
                self.database_cpu_us_per_request,
                beside.database_cpu_us_per_request,
                in_round.database_cpu_us_per_request,
            ),
            goodput_rps: scaled(self.goodput_rps, beside.goodput_rps, in_round.goodput_rps),
        }
    }
}

/// The levels of all servers of a round, in their order.
pub fn levels(driven: &[Driven]) -> Vec<Levels> {
    let cpu = polished(driven, |slice| {
        slice.server_cpu.as_secs_f64() * 1e6 / expected_answers(&slice.load.requests) as f64
    });
    let database = polished(driven, |slice| {
        let cpu = slice.database_cpu.unwrap_or_default();
        cpu.as_secs_f64() * 1e6 / expected_answers(&slice.load.requests) as f64
    });
    let goodput = polished(driven, |slice| {
        expected_answers(&slice.load.requests) as f64 / slice.load.seconds
    });
    cpu.into_iter()
        .zip(database)
        .zip(goodput)
        .map(
            |((cpu_us_per_request, database_cpu_us_per_request), goodput_rps)| Levels {
                cpu_us_per_request,
                database_cpu_us_per_request,
                goodput_rps,
            },
        )
        .collect()
}

fn polished(driven: &[Driven], figure: impl Fn(&Slice) -> f64) -> Vec<Option<f64>> {
    let sub_rounds = driven
        .iter()
        .flat_map(|driven| &driven.slices)
        .map(|slice| slice.sub_round);
    let sub_rounds = sub_rounds.max().unwrap_or(0) as usize;
    let rows: Vec<Vec<Option<f64>>> = driven
        .iter()
        .map(|driven| {
            let mut row = vec![None; sub_rounds];
            for slice in driven.slices.iter().filter(|slice| slice.counts()) {
                row[slice.sub_round as usize - 1] = Some(figure(slice).ln()).filter(|log| log.is_finite());
            }
            row
        })
        .collect();
    polish(&rows).into_iter().map(|level| level.map(f64::exp)).collect()
}

/// The trial of one server of a round.
pub fn trial(round: &Round<'_>, place: TrialPlace<'_>, driven: &Driven, levels: Levels) -> TrialOutcome {
    let mut trial = trial::empty(place, round.scenario);
    trial.started_at = driven.started_at;
    trial.startup_ms = driven.startup.map(|startup| startup.as_secs_f64() * 1e3);
    trial.idle_cpu_share = driven.idle_cpu_share;
    let counted: Vec<&Slice> = driven.slices.iter().filter(|slice| slice.counts()).collect();
    if let Some(sums) = Sums::add_up(&counted) {
        let (load, seconds) = (&sums.load, sums.load.seconds);
        let cpus = |part: &[u32]| part.len() as f64;
        trial::keep_answers(&mut trial, round.scenario, load);
        trial.goodput_rps = levels.goodput_rps;
        trial.server_cpu_us_per_request = levels.cpu_us_per_request;
        trial.database_cpu_us_per_request = levels.database_cpu_us_per_request;
        let database_cpu = sums.database_cpu.map(|cpu| cpu.as_secs_f64());
        trial.database_cpu_share = round.split.share_of_database(database_cpu, seconds);
        let seen: Vec<Connections> = counted.iter().filter_map(|slice| slice.connections).collect();
        trial.database_connections_open = seen.iter().map(|seen| seen.open).max();
        let active: u32 = seen.iter().map(|seen| seen.active).sum();
        trial.database_connections_active = (!seen.is_empty()).then(|| f64::from(active) / seen.len() as f64);
        trial.server_cpu_share = Some(sums.server_cpu.as_secs_f64() / seconds / cpus(&round.split.server));
        trial.generator_cpu_share = Some(load.generator_share(round.split.generator.len()));
        trial.link_share = load.remote.map(|remote| remote.link_share);
        trial.rss_bytes = driven.rss;
        trial.slices = Some(columns(&counted));
    }
    // Over all slices: some were left out because of the machine.
    let all = Sums::add_up(&driven.slices.iter().collect::<Vec<_>>());
    trial.steal_share = all.as_ref().map(|all| all.used.steal_share());
    trial.other_cpu_share = all.as_ref().map(|all| all.used.others_share());
    (trial.verdict, trial.reasons) = match &driven.failed {
        Some(failure) => verdict::with_failure(wrong_answers(driven), failure.clone()),
        None => judged(round, driven, &counted, &trial),
    };
    if trial.verdict > Verdict::EnvironmentFailed {
        (trial.goodput_rps, trial.server_cpu_us_per_request) = (None, None);
        trial.database_cpu_us_per_request = None;
    }
    TrialOutcome {
        trial,
        loaded: driven.loaded,
    }
}

/// The verdict on wrong answers, which matter even in a slice that does not count; `None` if there were none.
fn wrong_answers(driven: &Driven) -> Option<(Verdict, Vec<String>)> {
    let all = Sums::add_up(&driven.slices.iter().collect::<Vec<_>>())?;
    verdict::judge_answers(&all.load)
}

fn judged(round: &Round<'_>, driven: &Driven, counted: &[&Slice], trial: &record::Trial) -> (Verdict, Vec<String>) {
    if let Some(wrong) = wrong_answers(driven) {
        return wrong;
    }
    let Some(sums) = Sums::add_up(counted).filter(|_| 2 * counted.len() >= round.slices as usize) else {
        let reason = format!(
            "other programs or the hypervisor disturbed {} of {} slices",
            driven.slices.len() - counted.len(),
            driven.slices.len()
        );
        return (Verdict::EnvironmentFailed, vec![reason]);
    };
    // For Little's law: the intended length of the slices that count.
    let scenario = Scenario {
        seconds: counted
            .iter()
            .map(|slice| (slice.meant_seconds - RAMP_UP).max(0.0))
            .sum(),
        ..round.scenario.clone()
    };
    let shares = Shares {
        server: trial.server_cpu_share.unwrap_or_default(),
        generator: trial.generator_cpu_share.unwrap_or_default(),
        database: trial.database_cpu_share,
        steal: sums.used.steal_share(),
        others: sums.used.others_share(),
        remote: sums.load.remote,
    };
    verdict::judge(&scenario, &sums.load, shares)
}

/// The sums over some slices.
struct Sums {
    load: Load,
    server_cpu: Duration,
    database_cpu: Option<Duration>,
    used: Used,
}

impl Sums {
    /// `None` without slices.
    fn add_up(slices: &[&Slice]) -> Option<Self> {
        if slices.is_empty() {
            return None;
        }
        let mut requests = BTreeMap::new();
        let mut errors = BTreeMap::new();
        for slice in slices {
            for (sum, part) in [(&mut requests, &slice.load.requests), (&mut errors, &slice.load.errors)] {
                for (name, count) in part {
                    *sum.entry(name.clone()).or_default() += count;
                }
            }
        }
        let seconds: f64 = slices.iter().map(|slice| slice.load.seconds).sum();
        let mut used = Used::default();
        for slice in slices {
            used += slice.used;
        }
        Some(Self {
            load: Load {
                requests,
                errors,
                verifier_requests: slices.iter().map(|slice| slice.load.verifier_requests).sum(),
                seconds,
                latency: latency(slices),
                cpu: slices.iter().map(|slice| slice.load.cpu).sum(),
                body_bytes: slices.iter().map(|slice| slice.load.body_bytes).sum(),
                remote: RemoteStats::add_up(
                    slices
                        .iter()
                        .filter_map(|slice| Some((slice.load.seconds, slice.load.remote?))),
                ),
                first_byte: slices
                    .iter()
                    .map(|slice| slice.load.first_byte)
                    .collect::<Option<Vec<f64>>>()
                    .and_then(|each| median(&each)),
            },
            server_cpu: slices.iter().map(|slice| slice.server_cpu).sum(),
            database_cpu: slices.iter().map(|slice| slice.database_cpu).sum(),
            used,
        })
    }
}

/// Percentiles cannot be added up, so each figure is the median over the slices; the mean is that of all answers, for Little's
/// law.
fn latency(slices: &[&Slice]) -> Option<Latency> {
    let each: Vec<LatencyFigures> = slices
        .iter()
        .map(|slice| slice.load.latency.map(LatencyFigures::from))
        .collect::<Option<_>>()?;
    let mut figures: LatencyFigures = [0.0; 8];
    for (place, figure) in figures.iter_mut().enumerate() {
        *figure = median(&each.iter().map(|figures| figures[place]).collect::<Vec<_>>())?;
    }
    let answers = |slice: &Slice| (slice.load.requests.values().sum::<u64>() - slice.load.verifier_requests) as f64;
    let all: f64 = slices.iter().map(|slice| answers(slice)).sum();
    let sum: f64 = slices
        .iter()
        .zip(&each)
        .map(|(slice, figures)| answers(slice) * Latency::from(*figures).mean)
        .sum();
    Some(Latency {
        mean: sum / all,
        ..figures.into()
    })
}

fn columns(slices: &[&Slice]) -> Slices {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let mut columns = Slices::default();
    for slice in slices {
        columns.sub_round.push(slice.sub_round);
        columns.place.push(slice.place);
        columns.answers.push(expected_answers(&slice.load.requests));
        columns
            .length_us
            .push(micros(Duration::from_secs_f64(slice.load.seconds)));
        columns.server_cpu_us.push(micros(slice.server_cpu));
        columns.generator_cpu_us.push(micros(slice.load.cpu));
        columns.database_cpu_us.extend(slice.database_cpu.map(micros));
        columns.other_cpu_us.push(micros(slice.used.others()));
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::profile::Profiles;
    use crate::run::fake::{World, split};

    const FULL: Duration = Duration::from_millis(100);

    /// 50 ms on two cpus, in which others took so much.
    fn slice(sub_round: u32, answers: u64, server_cpu_us: u64, others: Duration) -> Slice {
        let mean = 64.0 * 50.0 / answers as f64;
        let latency = [mean; 8].into();
        Slice {
            sub_round,
            place: 1,
            meant_seconds: 0.05,
            load: Load {
                requests: BTreeMap::from([("200".into(), answers)]),
                errors: BTreeMap::new(),
                verifier_requests: 0,
                seconds: 0.05,
                latency: Some(latency),
                cpu: Duration::from_millis(30),
                body_bytes: Some(13 * answers),
                first_byte: None,
                remote: None,
            },
            server_cpu: Duration::from_micros(server_cpu_us),
            database_cpu: None,
            connections: None,
            used: Used {
                available: FULL,
                busy: others,
                known: Duration::ZERO,
                steal: Duration::ZERO,
            },
        }
    }

    fn driven(slices: Vec<Slice>) -> Driven {
        Driven {
            started_at: jiff::Timestamp::UNIX_EPOCH,
            startup: Some(Duration::from_millis(3)),
            slices,
            failed: None,
            loaded: true,
            idle_cpu_share: Some(0.001),
            restless: false,
            rss: None,
        }
    }

    fn tried(driven: &Driven) -> record::Trial {
        let profiles = Profiles::built_in();
        let scenario = profiles
            .scenario("plaintext", profiles.profile("quick").unwrap())
            .unwrap();
        let (split, world) = (split(), World::new(|_, _| Ok(())));
        let round = Round {
            scenario: &scenario,
            slices: 4,
            driver: &world,
            clock: &world,
            split: &split,
            seek_restless: true,
        };
        trial(
            &round,
            TrialPlace::FIRST,
            driven,
            levels(std::slice::from_ref(driven))[0],
        )
        .trial
    }

    #[test]
    fn two_servers_are_compared_within_the_sub_rounds() {
        // The machine is half as fast in the second sub-round, and a burst meets one slice of the second server.
        let one = [40_000, 80_000, 40_000, 40_000, 40_000, 40_000, 40_000, 40_000];
        let other = [44_000, 88_000, 44_000, 90_000, 44_000, 44_000, 44_000, 44_000];
        let of = |cpu: [u64; 8]| {
            driven(
                (1..)
                    .zip(cpu)
                    .map(|(turn, cpu)| slice(turn, 4000, cpu, Duration::ZERO))
                    .collect(),
            )
        };
        let levels = levels(&[of(one), of(other)]);
        let cpu = |place: usize| levels[place].cpu_us_per_request.unwrap();
        assert!((cpu(1) / cpu(0) - 1.1).abs() < 1e-9, "{levels:?}");
        assert!((cpu(0) - 10.0).abs() < 0.5, "{levels:?}");
        let goodput = |place: usize| levels[place].goodput_rps.unwrap();
        assert!((goodput(0) - 80_000.0).abs() < 1e-6 && (goodput(1) - goodput(0)).abs() < 1e-6);
    }

    #[test]
    fn a_server_that_was_apart_is_told_in_the_machine_of_the_others() {
        let level = |cpu, goodput| Levels {
            cpu_us_per_request: Some(cpu),
            database_cpu_us_per_request: None,
            goodput_rps: Some(goodput),
        };
        let apart = level(12.0, 70_000.0).relative_to(level(10.0, 80_000.0), level(11.0, 60_000.0));
        assert_eq!(apart, level(13.2, 52_500.0));
    }

    #[test]
    fn a_trial_is_the_sum_of_the_slices_that_count() {
        let quiet = Duration::ZERO;
        let burst = Duration::from_millis(40);
        let trial = tried(&driven(vec![
            slice(1, 4000, 48_000, quiet),
            slice(2, 1000, 48_000, burst),
            slice(3, 4000, 48_000, quiet),
            slice(4, 4000, 48_000, quiet),
        ]));
        assert_eq!(trial.requests["200"], 12_000);
        assert_eq!(trial.slices.as_ref().unwrap().sub_round, [1, 3, 4]);
        assert!((trial.server_cpu_us_per_request.unwrap() - 12.0).abs() < 1e-9);
        assert!((trial.server_cpu_share.unwrap() - 0.96).abs() < 1e-9);
        assert!((trial.generator_cpu_share.unwrap() - 0.6).abs() < 1e-9);
        // Over all four: the disturbed one is included.
        assert!((trial.other_cpu_share.unwrap() - 0.1).abs() < 1e-9);
        assert_eq!(trial.verdict, Verdict::Valid, "{:?}", trial.reasons);
    }

    #[test]
    fn half_of_the_slices_disturbed_are_the_machines_fault_and_a_wrong_answer_is_not() {
        let burst = Duration::from_millis(40);
        let mut slices: Vec<Slice> = (1..=4).map(|turn| slice(turn, 4000, 48_000, burst)).collect();
        slices[0].used.busy = Duration::ZERO;
        let trial = tried(&driven(slices.clone()));
        assert_eq!(trial.verdict, Verdict::EnvironmentFailed);
        assert_eq!(
            trial.reasons,
            ["other programs or the hypervisor disturbed 3 of 4 slices"]
        );
        assert!(
            trial.server_cpu_us_per_request.is_some(),
            "it is shown, and not trusted"
        );
        slices[3].load.requests.insert("500".into(), 1);
        let trial = tried(&driven(slices));
        assert_eq!(trial.verdict, Verdict::ContractFailed);
        assert_eq!(trial.reasons, ["1 answers with status 500 under load"]);
        assert_eq!((trial.server_cpu_us_per_request, trial.goodput_rps), (None, None));
    }

    #[test]
    fn what_failed_after_wrong_answers_does_not_hide_them() {
        let mut failed = driven(vec![slice(1, 4000, 48_000, Duration::ZERO)]);
        failed.failed = Some((Verdict::Crashed, "no luck".into()));
        assert_eq!(tried(&failed).reasons, ["no luck"]);
        failed.slices[0].load.requests.insert("500".into(), 2);
        let trial = tried(&failed);
        assert_eq!(trial.verdict, Verdict::Crashed);
        assert_eq!(trial.reasons, ["2 answers with status 500 under load", "no luck"]);
    }

    #[test]
    fn what_failed_before_any_slice_has_its_reason_and_no_figures() {
        let mut failed = driven(Vec::new());
        failed.failed = Some((Verdict::Crashed, "no luck".into()));
        let trial = tried(&failed);
        assert_eq!(
            (trial.verdict, trial.reasons.as_slice()),
            (Verdict::Crashed, &["no luck".to_owned()][..])
        );
        assert_eq!((trial.seconds, trial.slices), (None, None));
    }

    #[test]
    fn connections_are_the_most_that_were_open_and_those_that_were_in_use_on_average() {
        let mut slices: Vec<Slice> = (1..=4).map(|turn| slice(turn, 4000, 48_000, Duration::ZERO)).collect();
        assert_eq!(tried(&driven(slices.clone())).database_connections_active, None);
        for (slice, (open, active)) in slices.iter_mut().zip([(3, 3), (4, 2), (4, 4), (4, 1)]) {
            slice.connections = Some(Connections { open, active });
        }
        let trial = tried(&driven(slices));
        assert_eq!(trial.database_connections_open, Some(4));
        assert_eq!(trial.database_connections_active, Some(2.5));
    }
}
