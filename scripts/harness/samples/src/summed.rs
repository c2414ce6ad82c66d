//! Runs whose summary follows from their trials.

use std::collections::BTreeMap;

use model::scenario::{Dimension, Scenario, Varies};
use model::{Latency, Metric, OtherProgram, Record, Role, Slices, Trial, Verdict, run_id};

use super::summed;

/// A run in which nothing contradicts anything: as `bench run` would have written it, with five rounds of two scenarios.
///
/// # Panics
/// Never: its time is a time.
#[must_use]
pub fn sensible() -> Record {
    let mut record = super::record();
    record.apps.retain(|app| app.link.starts_with("https://"));
    record.scenarios.truncate(2);
    record.id = run_id(record.started_at, record.seed);
    (record.harness.rounds, record.harness.dirty, record.harness.whole) = (5, Some(false), true);
    let first = record.trials.remove(0);
    record.trials.clear();
    for round in 1..=5_u32 {
        for scenario in &record.scenarios {
            for (cost, app) in (5_u32..).zip(&record.apps) {
                let order = u32::try_from(record.trials.len()).unwrap_or(u32::MAX) + 1;
                let cpu = f64::from(cost) * (1.0 + f64::from(round) / 20.0 + f64::from(order % 3) / 1000.0);
                record.trials.push(Trial {
                    app: app.id.clone(),
                    variant: app.variant.clone(),
                    scenario: scenario.id.clone(),
                    round,
                    order,
                    started_at: record.started_at + jiff::SignedDuration::from_secs(i64::from(order)),
                    server_cpu_us_per_request: Some(cpu),
                    goodput_rps: Some(1e6 / cpu),
                    requests: BTreeMap::from([("200".into(), 1_000_000)]),
                    seconds: Some(cpu),
                    // Its mean is right for 64 connections.
                    latency_ms: Some(Latency::from(
                        [0.3, 1.0, 0.9, 1.4, 1.6, 2.0, 2.3, 2.6].map(|share| share * 0.064 * cpu),
                    )),
                    ..first.clone()
                });
            }
        }
    }
    summed(record)
}

/// [`sensible()`] over eight rounds, of which others disturbed every slice but for the first `valid` rounds: a request then takes up to 1.5
/// times as long, of all servers of a sub-round alike. Instructions were counted once, 1,000 for each microsecond.
///
/// # Panics
/// Never: its trials have a CPU time.
#[must_use]
pub fn disturbed(valid: u32) -> Record {
    let mut record = sensible();
    record.harness.whole = false;
    let template: Vec<Trial> = record.trials.drain(..).filter(|trial| trial.round == 1).collect();
    for (round, trial) in (1..=8_u32).flat_map(|round| template.iter().map(move |trial| (round, trial))) {
        let cost = trial.server_cpu_us_per_request.expect("a CPU time");
        let slow = |sub_round: u32| 1.0 + 0.1 * f64::from((sub_round + round) % 6);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // thousands
        let cpu = |sub_round: u32| (1000.0 * cost * slow(sub_round)) as u64;
        let mut trial = Trial {
            round,
            instructions_per_request: (round == 1).then_some(1000.0 * cost),
            ..trial.clone()
        };
        if round > valid {
            trial.verdict = Verdict::EnvironmentFailed;
            trial.reasons = vec!["other programs or the hypervisor disturbed 3 of 3 slices".to_owned()];
            (trial.other_cpu_share, trial.steal_share) = (Some(0.93), Some(0.0));
            (trial.server_cpu_us_per_request, trial.goodput_rps) = (None, None);
            trial.disturbed_slices = Some(Slices {
                sub_round: (1..=3).collect(),
                answers: vec![1000; 3],
                server_cpu_us: (1..=3).map(cpu).collect(),
                ..Slices::default()
            });
        }
        record.trials.push(trial);
    }
    record.environment.other_programs = vec![OtherProgram {
        name: "cargo".to_owned(),
        cpus: 1.8,
    }];
    summed(record)
}

/// A run of 1, 2, 4, 8 and 16 workers on eight cores with two threads each, in six rounds. actix-web follows the law with σ = 0.02 and
/// κ = 0.001, axum needs a tenth more CPU with each doubling and is limited by the load generator from eight workers on, its variant
/// from the first; rocket crashes with 16 workers, and all have a quarter more with 16 than with 8.
#[must_use]
pub fn scaled() -> Record {
    let mut record = super::record();
    (record.profile, record.harness.rounds) = ("scaling".to_owned(), 6);
    record.environment.server_cores = Some(8);
    record.environment.server_cpus = (0..16).collect();
    record.environment.generator_cpus = (16..32).collect();
    let plain = record.scenarios.remove(0);
    let widths = [1, 2, 4, 8, 16];
    let width = |workers: u32| Scenario {
        id: format!("plaintext-w{workers}"),
        varies: Some(Varies {
            like: "plaintext".to_owned(),
            by: Dimension::Workers,
        }),
        workers: Some(workers),
        connections: 16 * workers,
        ..plain.clone()
    };
    record.scenarios = widths.map(width).into();
    let first = record.trials.remove(0);
    record.trials.clear();
    for round in 1..=6_u32 {
        for (scenario, workers) in record.scenarios.iter().zip(widths) {
            for app in record.apps.iter().filter(|app| app.build_error.is_none()) {
                let order = u32::try_from(record.trials.len()).unwrap_or(u32::MAX) + 1;
                // What has nothing to do with the width: the machine in each round, and up to 1 % in each trial, by D. Knuth's hash.
                let own = f64::from(order.wrapping_mul(2_654_435_761) >> 24) / 25_600.0;
                let noise = (1.0 + f64::from(round % 4) / 50.0) * (1.0 + own);
                let n = f64::from(workers.min(8));
                let wide = if workers > 8 { 1.25 } else { 1.0 };
                let level = wide * 60_000.0 * n / (1.0 + 0.02 * (n - 1.0) + 0.001 * n * (n - 1.0));
                let bound = app.id == "axum" && (workers >= 8 || app.variant != "default");
                let verdict = match app.id.as_str() {
                    _ if bound || app.role == Role::Ceiling => Verdict::ClientBound,
                    "rocket" if workers == 16 => Verdict::Crashed,
                    _ => Verdict::Valid,
                };
                let reason = match verdict {
                    Verdict::ClientBound => Some("the load generator used 97 % of its cpus"),
                    Verdict::Crashed => Some("the server died under load"),
                    _ => None,
                };
                let slower = if app.id == "axum" { 1.1_f64.powf(n.log2()) } else { 1.0 };
                record.trials.push(Trial {
                    app: app.id.clone(),
                    variant: app.variant.clone(),
                    scenario: scenario.id.clone(),
                    round,
                    order,
                    verdict,
                    reasons: reason.into_iter().map(ToOwned::to_owned).collect(),
                    goodput_rps: Some(level / noise),
                    server_cpu_us_per_request: Some(16.0 * slower * noise),
                    ..first.clone()
                });
            }
        }
    }
    // The smallest server is faster than all others by far, so that only its own verdict is the generator's.
    for trial in record.trials.iter_mut().filter(|trial| trial.app == "ceiling") {
        trial.goodput_rps = trial.goodput_rps.map(|goodput| goodput * 2.0);
    }
    summed(record)
}

/// [`record()`] with a database behind axum in the scenario `json`, which took 38.2 µs for a request.
///
/// # Panics
/// Never: that cell has a CPU time.
#[must_use]
pub fn with_database() -> Record {
    let mut record = super::record();
    let mut cells = record.summary.iter_mut();
    let cell = cells
        .find(|cell| (cell.app.as_str(), cell.variant.as_str(), cell.scenario.as_str()) == ("axum", "default", "json"))
        .expect("the cell");
    let mut summary = cell.metrics[&Metric::ServerCpuUsPerRequest].clone();
    (summary.median, summary.ratio, summary.rank) = (38.2, None, None);
    cell.metrics.insert(Metric::DatabaseCpuUsPerRequest, summary);
    record
}
