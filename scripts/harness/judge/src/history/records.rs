//! A past from records.

use std::collections::BTreeMap;

use record::probe::Probes;

use super::past::{Fact, Facts, Kind, Past, Run, Series};
use record::SubjectId;
use record::scenario::LoadModel;
use record::{AppRecord, Metric, Record, Role};

/// The metrics that are followed over time: the ranked ones except start-up, by which no framework is chosen.
const FOLLOWED: [Metric; 6] = [
    Metric::ServerCpuUsPerRequest,
    Metric::InstructionsPerRequest,
    Metric::GoodputRps,
    Metric::CapacityRps,
    Metric::LatencyP50Ms,
    Metric::RssPeakBytes,
];

impl Past {
    /// The past of `records`, all of one lane and profile. It has only trusted figures.
    pub fn from_records(records: &[Record]) -> Self {
        let mut records: Vec<&Record> = records.iter().collect();
        records.sort_by_key(|record| (record.started_at, &record.id));
        let mut series: BTreeMap<(String, Metric), Series> = BTreeMap::new();
        for (run, record) in records.iter().enumerate() {
            add(&mut series, record, run, records.len());
        }
        let first = records.first();
        Self {
            lane: first.map_or_else(String::new, |record| record.lane.name().to_owned()),
            profile: first.map(|record| record.profile.clone()),
            runs: records.into_iter().map(run).collect(),
            series: series.into_values().collect(),
        }
    }
}

fn add(series: &mut BTreeMap<(String, Metric), Series>, record: &Record, run: usize, runs: usize) {
    for cell in &record.summary {
        let role = record.app(&cell.app, &cell.variant).map(|app| app.role);
        let scenario = record.scenario(&cell.scenario);
        let load = scenario.map_or(LoadModel::Closed, |scenario| scenario.load);
        for metric in FOLLOWED.into_iter().filter(|metric| metric.is_ranked(load)) {
            let trusted = cell
                .metrics
                .get(&metric)
                .filter(|summary| summary.trusted && summary.median > 0.0);
            let Some(figure) = trusted.map(|summary| summary.median) else {
                continue;
            };
            let key = (cell.scenario.clone(), metric);
            let new = || Series::empty(&cell.scenario, metric.id(), Some(metric.more_is_better()), runs);
            let series = series.entry(key).or_insert_with(new);
            match role {
                Some(Role::Framework) => {
                    let row = series.rows.entry(SubjectId::new(&cell.app, &cell.variant));
                    row.or_insert_with(|| vec![None; runs])[run] = Some(figure);
                }
                Some(Role::Reference) => series.reference[run] = Some(figure),
                Some(Role::Ceiling) | None => {}
            }
        }
    }
}

fn run(record: &Record) -> Run {
    let environment = &record.environment;
    let known = [
        (Kind::Rustc, "rustc", Some(&environment.rustc)),
        (Kind::Kernel, "kernel", Some(&environment.kernel)),
        (Kind::Image, "image", environment.runner_image.as_ref()),
        (Kind::Harness, "bench", Some(&record.harness.version)),
        (Kind::Harness, "oha", Some(&environment.oha)),
    ];
    let known = known
        .into_iter()
        .filter_map(|(kind, name, value)| Some((fact(kind, name), value?.clone())));
    Run {
        id: record.id.clone(),
        at: record.started_at,
        machine: format!("{}, {} logical cpus", environment.cpu_model, environment.logical_cpus),
        commit: record.harness.commit.clone(),
        surroundings: known.collect(),
        builds: builds(record.apps.iter()),
    }
}

/// The run of a document of probes.
pub fn run_of_probes(probes: &Probes) -> Run {
    let origin = &probes.origin;
    Run {
        id: probes.id.clone(),
        at: probes.started_at,
        machine: format!("{}, {} logical cpus", origin.cpu_model, origin.logical_cpus),
        commit: origin.commit.clone(),
        surroundings: Facts::from([
            (fact(Kind::Kernel, "kernel"), origin.kernel.clone()),
            (fact(Kind::Harness, "bench"), origin.version.clone()),
        ]),
        builds: builds(probes.apps.iter().map(|one| &one.app)),
    }
}

fn builds<'a>(apps: impl Iterator<Item = &'a AppRecord>) -> BTreeMap<SubjectId, Facts> {
    apps.map(|app| (SubjectId::new(&app.id, &app.variant), build(app)))
        .collect()
}

fn build(app: &AppRecord) -> Facts {
    Facts::from([
        (fact(Kind::Framework, &app.framework), app.framework_version.clone()),
        (
            fact(Kind::Dependency, super::causes::LOCKFILE),
            app.lockfile_hash.clone(),
        ),
        (fact(Kind::Source, "sources"), app.source_hash.clone()),
    ])
}

fn fact(kind: Kind, name: &str) -> Fact {
    Fact {
        kind,
        name: name.to_owned(),
    }
}
