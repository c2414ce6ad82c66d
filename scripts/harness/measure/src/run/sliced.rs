//! Turns the slices of a round into a judged trial for each server.
//!
//! CPU per request and goodput of a trial are the server's levels in the round, after removing what the machine did to all
//! servers of a sub-round ([`polish`]); all other figures are sums over the slices that count.

use std::time::Duration;

use super::observation::Observation;
use super::round::{Driven, Round, Slice};
use crate::run::verdict;
use model::scenario::Scenario;
use model::{Slices, Trial, Verdict, expected_answers};
use stats::polish;

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
    /// Scales the levels of a server that was driven apart: `alongside` are the levels of the reference driven with it, `in_round` the
    /// reference's levels in the common round.
    #[must_use]
    pub fn relative_to(self, alongside: Self, in_round: Self) -> Self {
        let scaled = |level: fn(Self) -> Option<f64>| Some(level(self)? / level(alongside)? * level(in_round)?);
        Self {
            cpu_us_per_request: scaled(|levels| levels.cpu_us_per_request),
            database_cpu_us_per_request: scaled(|levels| levels.database_cpu_us_per_request),
            goodput_rps: scaled(|levels| levels.goodput_rps),
        }
    }
}

/// The levels of all servers of a round, in their order.
pub fn levels(driven: &[Driven]) -> Vec<Levels> {
    let cpu = polished(driven, Observation::server_cpu_us_per_request);
    let database = polished(driven, Observation::database_cpu_us_per_request);
    let goodput = polished(driven, Observation::goodput_rps);
    let of = |server: usize| Levels {
        cpu_us_per_request: cpu[server],
        database_cpu_us_per_request: database[server],
        goodput_rps: goodput[server],
    };
    (0..driven.len()).map(of).collect()
}

fn polished(driven: &[Driven], figure: fn(&Observation) -> f64) -> Vec<Option<f64>> {
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
                row[slice.sub_round as usize - 1] = Some(figure(&slice.seen).ln()).filter(|log| log.is_finite());
            }
            row
        })
        .collect();
    polish(&rows).into_iter().map(|level| level.map(f64::exp)).collect()
}

/// The trial of one server of a round, from one without any figures.
pub fn trial(round: &Round<'_>, mut trial: Trial, driven: &Driven, levels: Levels) -> Trial {
    trial.started_at = driven.started_at;
    trial.startup_ms = driven.startup.map(|startup| startup.as_secs_f64() * 1e3);
    trial.idle_cpu_share = driven.idle_cpu_share;
    let (counted, disturbed): (Vec<&Slice>, _) = driven.slices.iter().partition(|slice| slice.counts());
    let sum = Observation::sum(counted.iter().map(|slice| &slice.seen));
    if let Some(sum) = &sum {
        sum.fill(&mut trial, round.scenario, round.split);
        trial.goodput_rps = levels.goodput_rps;
        trial.server_cpu_us_per_request = levels.cpu_us_per_request;
        trial.database_cpu_us_per_request = levels.database_cpu_us_per_request;
        trial.rss_bytes = driven.rss;
        trial.slices = Some(columns(&counted));
    }
    // Over all slices: some were left out because of the machine, and a wrong answer matters in these, too. Ticks are few in each.
    let all = Observation::sum(driven.slices.iter().map(|slice| &slice.seen));
    trial.steal_share = all.as_ref().map(|all| all.used.steal_share());
    trial.other_cpu_share = all.as_ref().map(|all| all.used.others_share());
    trial.system_cpu_share = all.as_ref().and_then(|all| all.server_ticks.system_share());
    let wrong = all.and_then(|all| verdict::judge_answers(&all.load));
    (trial.verdict, trial.reasons) = match (&driven.failed, wrong) {
        (Some(failure), wrong) => verdict::with_failure(wrong, failure.clone()),
        (None, Some(wrong)) => wrong,
        (None, None) => judged(round, &counted, &disturbed, sum.as_ref()),
    };
    if trial.verdict.is_failure_of_server() {
        (trial.goodput_rps, trial.server_cpu_us_per_request) = (None, None);
        trial.database_cpu_us_per_request = None;
    } else if !disturbed.is_empty() {
        trial.disturbed_slices = Some(columns(&disturbed));
    }
    trial
}

fn judged(
    round: &Round<'_>,
    counted: &[&Slice],
    disturbed: &[&Slice],
    sum: Option<&Observation>,
) -> (Verdict, Vec<String>) {
    let Some(sum) = sum.filter(|_| 2 * counted.len() >= round.slices as usize) else {
        let reason = format!(
            "other programs or the hypervisor disturbed {} of {} slices",
            disturbed.len(),
            counted.len() + disturbed.len()
        );
        return (Verdict::EnvironmentFailed, vec![reason]);
    };
    // For Little's law: the intended length of the slices that count.
    let seconds = counted.iter().map(|slice| (slice.meant_seconds - RAMP_UP).max(0.0));
    let scenario = Scenario {
        seconds: seconds.sum(),
        ..round.scenario.clone()
    };
    verdict::judge(&scenario, &sum.load, sum.shares(round.split))
}

fn columns(slices: &[&Slice]) -> Slices {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let mut columns = Slices::default();
    for slice in slices {
        columns.sub_round.push(slice.sub_round);
        columns.place.push(slice.place);
        columns.answers.push(expected_answers(&slice.seen.load.requests));
        columns
            .length_us
            .push(micros(Duration::from_secs_f64(slice.seen.load.seconds)));
        columns.server_cpu_us.push(micros(slice.seen.server_cpu));
        columns.generator_cpu_us.push(micros(slice.seen.load.cpu));
        columns.database_cpu_us.extend(slice.seen.database_cpu.map(micros));
        columns.other_cpu_us.push(micros(slice.seen.used.others()));
    }
    columns
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    use crate::run::fake::{World, split};
    use apps::profile::Profiles;
    use generator::Load;
    use machine::load::Used;
    use machine::process_ticks::ProcessTicks;

    const FULL: Duration = Duration::from_millis(100);

    /// 50 ms on two cpus, in which others took so much.
    fn slice(sub_round: u32, answers: u64, server_cpu_us: u64, others: Duration) -> Slice {
        let mean = 64.0 * 50.0 / answers as f64;
        let latency = [mean; 8].into();
        Slice {
            sub_round,
            place: 1,
            meant_seconds: 0.05,
            seen: Observation {
                load: Load {
                    requests: BTreeMap::from([("200".into(), answers)]),
                    seconds: 0.05,
                    latency: Some(latency),
                    cpu: Duration::from_millis(30),
                    body_bytes: Some(13 * answers),
                    ..Load::default()
                },
                server_cpu: Duration::from_micros(server_cpu_us),
                server_ticks: ProcessTicks {
                    user: 2,
                    system: u64::from(sub_round),
                    ..ProcessTicks::default()
                },
                database_cpu: None,
                connections: None,
                used: Used {
                    available: FULL,
                    busy: others,
                    known: Duration::ZERO,
                    steal: Duration::ZERO,
                },
            },
        }
    }

    fn driven(slices: Vec<Slice>) -> Driven {
        Driven {
            started_at: jiff::Timestamp::UNIX_EPOCH,
            startup: Some(Duration::from_millis(3)),
            slices,
            failed: None,
            idle_cpu_share: Some(0.001),
            restless: false,
            rss: None,
        }
    }

    fn tried(driven: &Driven) -> model::Trial {
        let profiles = Profiles::built_in();
        let mut scenario = profiles
            .scenario("plaintext", profiles.profile("quick").unwrap())
            .unwrap();
        scenario.connections = 64;
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
            Trial::default(),
            driven,
            levels(std::slice::from_ref(driven))[0],
        )
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
    fn a_server_that_was_apart_is_scaled_to_the_machine_of_the_others() {
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
        let disturbed = trial.disturbed_slices.as_ref().unwrap();
        assert_eq!((&disturbed.sub_round, &disturbed.answers), (&vec![2], &vec![1000]));
        assert!((trial.server_cpu_us_per_request.unwrap() - 12.0).abs() < 1e-9);
        assert!((trial.server_cpu_share.unwrap() - 0.96).abs() < 1e-9);
        assert!((trial.generator_cpu_share.unwrap() - 0.6).abs() < 1e-9);
        // Over all four: the disturbed one is included.
        assert!((trial.other_cpu_share.unwrap() - 0.1).abs() < 1e-9);
        assert_eq!(trial.system_cpu_share, Some(10.0 / 18.0));
        assert_eq!(trial.verdict, Verdict::Valid, "{:?}", trial.reasons);
    }

    #[test]
    fn half_of_the_slices_disturbed_are_the_machines_fault_and_a_wrong_answer_is_not() {
        let burst = Duration::from_millis(40);
        let mut slices: Vec<Slice> = (1..=4).map(|turn| slice(turn, 4000, 48_000, burst)).collect();
        slices[0].seen.used.busy = Duration::ZERO;
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
        slices[3].seen.load.requests.insert("500".into(), 1);
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
        failed.slices[0].seen.load.requests.insert("500".into(), 2);
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
        for (slice, seen) in slices.iter_mut().zip([(3, 3.0), (4, 2.0), (4, 4.0), (4, 1.0)]) {
            slice.seen.connections = Some(seen);
        }
        let trial = tried(&driven(slices));
        assert_eq!(trial.database_connections_open, Some(4));
        assert_eq!(trial.database_connections_active, Some(2.5));
    }
}
