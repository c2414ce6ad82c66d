//! The sample records for tests, with summaries.

pub use record::sample::*;

use std::collections::BTreeMap;

use record::{Latency, Metric, Record, Trial, run_id};

use crate::analysis;

/// [`record::sample::varied`], summed up.
#[must_use]
pub fn varied() -> Record {
    let mut record = record::sample::varied();
    record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
    record
}

/// [`record::sample::full`], summed up.
#[must_use]
pub fn full() -> Record {
    let mut record = record::sample::full();
    record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
    record
}

/// A run in which nothing contradicts anything: as `bench run` would have written it, with five rounds of two scenarios.
///
/// # Panics
/// Never: its time is a time.
#[must_use]
pub fn sensible() -> Record {
    let mut record = record::sample::record();
    record.apps.retain(|app| app.link.starts_with("https://"));
    record.scenarios.truncate(2);
    record.id = run_id(record.started_at, record.seed);
    (record.harness.rounds, record.harness.dirty, record.harness.whole) = (5, Some(false), Some(true));
    let first = record.trials.remove(0);
    record.trials.clear();
    for round in 1..=5_u32 {
        for scenario in &record.scenarios {
            for (cost, app) in (5_u32..).zip(&record.apps) {
                let order = u32::try_from(record.trials.len()).unwrap_or(u32::MAX) + 1;
                let cpu = f64::from(cost) * (1.0 + f64::from(round) / 10.0 + f64::from(order % 3) / 1000.0);
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
                    latency_ms: Some(Latency::from([0.1, 0.3, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8])),
                    ..first.clone()
                });
            }
        }
    }
    record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
    record
}

/// [`record()`] with a database behind axum in the scenario `json`, which took 38.2 µs for a request.
///
/// # Panics
/// Never: that cell has a CPU time.
#[must_use]
pub fn with_database() -> Record {
    let mut record = record::sample::record();
    let mut cells = record.summary.iter_mut();
    let cell = cells
        .find(|cell| (cell.app.as_str(), cell.variant.as_str(), cell.scenario.as_str()) == ("axum", "default", "json"))
        .expect("the cell");
    let mut summary = cell.metrics[&Metric::ServerCpuUsPerRequest].clone();
    (summary.median, summary.ratio, summary.rank) = (38.2, None, None);
    cell.metrics.insert(Metric::DatabaseCpuUsPerRequest, summary);
    record
}
