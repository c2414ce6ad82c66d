//! A past from records.

use std::collections::BTreeMap;

use record::probe::Probes;

use super::past::{Fact, Facts, Kind, Past, Run, Series};
use record::SubjectId;
use record::scenario::LoadModel;
use record::{AppRecord, Metric, Record, Role, count};

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
        let runners = runners(&records);
        Self {
            lane: first.map_or_else(String::new, |record| record.lane.name().to_owned()),
            profile: first.map(|record| record.profile.clone()),
            runs: records.into_iter().zip(runners).map(run).collect(),
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

/// The runner of each run: its labels, and the operating system where they do not name it. Records older than the labels have those
/// of the next one with the same system, or else of the last one. One that other machines drive is another runner than the same machine alone.
fn runners(records: &[&Record]) -> Vec<String> {
    let of = |record: &&Record| {
        (
            record.environment.runner.join(", "),
            system(&record.environment.os).to_owned(),
        )
    };
    let known: Vec<(String, String)> = records.iter().map(of).collect();
    let name = |(run, (labels, system)): (usize, &(String, String))| {
        let same = |other: &&(String, String)| !other.0.is_empty() && other.1 == *system;
        let later = known[run..].iter().find(same);
        let labels = later
            .or_else(|| known.iter().rfind(same))
            .map_or(labels, |other| &other.0);
        let is_named = labels.starts_with(&system.to_lowercase().replace(' ', "-"));
        let name = match (labels.is_empty(), is_named) {
            (true, _) => system.clone(),
            (false, true) => labels.clone(),
            (false, false) => format!("{labels} ({system})"),
        };
        match records[run].environment.load_machines.len() {
            0 => name,
            many => format!("{name}, load from {}", count(many, "machine")),
        }
    };
    known.iter().enumerate().map(name).collect()
}

/// Name and release of an operating system: `Ubuntu 24.04` of `Ubuntu 24.04.3 LTS`. Updates within a release begin nothing.
fn system(os: &str) -> &str {
    let digit = os.find(|letter: char| letter.is_ascii_digit());
    let Some(from) = digit else { return os };
    let release = &os[from..];
    let ends = |(at, letter): (usize, char)| {
        let is_part = letter.is_ascii_digit() || (letter == '.' && !release[..at].contains('.'));
        (!is_part).then_some(from + at)
    };
    release.char_indices().find_map(ends).map_or(os, |to| &os[..to])
}

fn run((record, runner): (&Record, String)) -> Run {
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
        runner,
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
        runner: String::new(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn record(labels: &[&str], os: &str) -> Record {
        let mut record = sample::record();
        record.environment.runner = labels.iter().map(|label| (*label).to_owned()).collect();
        os.clone_into(&mut record.environment.os);
        record
    }

    #[test]
    fn a_machine_that_others_drive_is_another_runner_than_the_same_alone() {
        let mut driven = record(&["bench"], "Debian GNU/Linux 12 (bookworm)");
        driven.environment.load_machines = record::sample::full().environment.load_machines;
        let alone = record(&["bench"], "Debian GNU/Linux 12 (bookworm)");
        let names = runners(&[&alone, &driven]);
        assert_eq!(names[1], format!("{}, load from 1 machine", names[0]));
    }

    #[test]
    fn a_runner_is_named_by_its_labels_and_by_its_system() {
        let records = [
            record(&[], "Ubuntu 24.04.1 LTS"),
            record(&["ubuntu-24.04"], "Ubuntu 24.04.3 LTS"),
            record(&["ubuntu-26.04"], "Ubuntu 26.04 LTS"),
            record(&["self-hosted", "bench"], "Debian GNU/Linux 12 (bookworm)"),
            record(&[], "Arch Linux"),
            record(&[], "Debian GNU/Linux 12 (bookworm)"),
            record(&[], "Debian GNU/Linux 13 (trixie)"),
        ];
        let records: Vec<&Record> = records.iter().collect();
        assert_eq!(
            runners(&records),
            [
                "ubuntu-24.04",
                "ubuntu-24.04",
                "ubuntu-26.04",
                "self-hosted, bench (Debian GNU/Linux 12)",
                "Arch Linux",
                "self-hosted, bench (Debian GNU/Linux 12)",
                "Debian GNU/Linux 13",
            ]
        );
    }
}
