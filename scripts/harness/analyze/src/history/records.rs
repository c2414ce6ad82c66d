//! A timeline from records.

use std::collections::BTreeMap;

use super::timeline::{Facts, Kind, Run, Series, Timeline};
use model::scenario::LoadModel;
use model::{AppRecord, Environment, Metric, Record, SubjectId, count, runner_labels};

/// The metrics that are followed over time: the ranked ones except start-up, by which no framework is chosen.
const FOLLOWED: [Metric; 6] = [
    Metric::ServerCpuUsPerRequest,
    Metric::InstructionsPerRequest,
    Metric::GoodputRps,
    Metric::CapacityRps,
    Metric::LatencyP50Ms,
    Metric::RssPeakBytes,
];

impl Timeline {
    /// The timeline of `records`, all of one lane and profile. It has only trusted figures.
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
            runs: records.iter().map(|record| run(record, &records)).collect(),
            series: series.into_values().collect(),
        }
    }

    /// The runs of two records, without their figures.
    pub(super) fn of_runs(records: [&Record; 2]) -> Self {
        Self {
            runs: records.map(|record| run(record, &records)).into(),
            ..Self::default()
        }
    }
}

fn add(series: &mut BTreeMap<(String, Metric), Series>, record: &Record, run: usize, runs: usize) {
    for cell in &record.summary {
        let scenario = record.scenario(&cell.scenario);
        let load = scenario.map_or(LoadModel::Closed, |scenario| scenario.load);
        for metric in FOLLOWED.into_iter().filter(|metric| metric.is_ranked(load)) {
            let trusted = cell.trusted(metric).filter(|summary| summary.median > 0.0);
            let Some((summary, app)) = trusted.zip(record.app(&cell.app, &cell.variant)) else {
                continue;
            };
            let new = || Series::empty(&cell.scenario, metric.id(), Some(metric.more_is_better()), runs);
            let series = series.entry((cell.scenario.clone(), metric)).or_insert_with(new);
            let subject = SubjectId::new(&cell.app, &cell.variant);
            series.put(app.role, subject, run, summary.median);
        }
    }
}

/// The cpus of a run, and what servers get of them: where that is a part, differences are as they are, and elsewhere smaller. A record older
/// than the details of a cpu is taken for one of the first cpu of its name that is known better: a series does not end because more is known.
fn machine(environment: &Environment, all: &[&Record]) -> String {
    let of =
        |environment: &Environment| format!("{}, {} logical cpus", environment.cpu_model, environment.logical_cpus);
    let name = of(environment);
    let alike = all
        .iter()
        .map(|record| &record.environment)
        .filter(|other| of(other) == name);
    let known = [environment].into_iter().chain(alike).find_map(|one| one.cpu.as_ref());
    let cpus = known.map_or(name.clone(), |cpu| format!("{name} ({cpu})"));
    let share = environment
        .server_cpu_quota
        .map(|share| format!(", {:.0} % of them for servers", share * 100.0));
    cpus + &share.unwrap_or_default()
}

/// What a run was made on: the labels of its runner, as the first record has them, and the operating system where they do not name it. A
/// machine that others drive is another runner than the same machine alone.
fn runner(environment: &Environment, all: &[&Record]) -> String {
    let (labels, system) = (runner_labels(&environment.runner), system(&environment.os));
    let mut spelled = all.iter().map(|record| &record.environment.runner);
    let first = spelled.find(|other| runner_labels(*other) == labels);
    let shown = first.unwrap_or(&environment.runner).join(", ");
    let id = system.to_lowercase().replace(' ', "-");
    let name = match shown.as_str() {
        "" => system.to_owned(),
        _ if labels.iter().any(|label| label.starts_with(&id)) => shown,
        _ => format!("{shown} ({system})"),
    };
    match environment.load_machines.len() {
        0 => name,
        many => format!("{name}, load from {}", count(many, "machine")),
    }
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

fn run(record: &Record, all: &[&Record]) -> Run {
    let environment = &record.environment;
    let known = [
        (Kind::Rustc, "rustc", Some(&environment.rustc)),
        (Kind::Kernel, "kernel", Some(&environment.kernel)),
        (Kind::Image, "image", environment.runner_image.as_ref()),
        (
            Kind::Image,
            "database",
            environment.database.as_ref().map(|database| &database.version),
        ),
        (Kind::Harness, "bench", Some(&record.harness.version)),
        (Kind::Harness, "oha", Some(&environment.oha)),
    ];
    let known = known
        .into_iter()
        .filter_map(|(kind, name, value)| Some((fact(kind, name), value?.clone())));
    // Cases are made without oha, and once were without a note of the compiler.
    let known = known.filter(|(_, value)| !value.is_empty());
    Run {
        id: record.id.clone(),
        at: record.started_at,
        machine: machine(environment, all),
        runner: runner(environment, all),
        commit: record.harness.commit.clone(),
        surroundings: known.collect(),
        builds: record.apps.iter().map(|app| (app.subject(), build(app))).collect(),
    }
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

fn fact(kind: Kind, name: &str) -> (Kind, String) {
    (kind, name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(labels: &[&str], os: &str) -> Environment {
        let mut environment = samples::record().environment;
        environment.runner = labels.iter().map(|label| (*label).to_owned()).collect();
        os.clone_into(&mut environment.os);
        environment
    }

    #[test]
    fn a_machine_is_identified_by_its_cpu_and_an_older_record_belongs_to_the_first_that_is_known() {
        let known = |model: &str| {
            let mut record = samples::full();
            let cpu = record.environment.cpu.as_mut().unwrap();
            cpu.model = Some(model.to_owned());
            record
        };
        let (mut old, mut first, other) = (samples::full(), known("17"), known("1"));
        first.environment.server_cpu_quota = None;
        (old.environment.cpu, old.environment.server_cpu_quota) = (None, None);
        let of = |record: &Record, all: &[&Record]| machine(&record.environment, all);
        let all = [&old, &first, &other];
        assert_eq!(of(&old, &all), of(&first, &all));
        assert_ne!(of(&first, &all), of(&other, &all));
        assert!(of(&old, &[&old]).ends_with("logical cpus"));
        let mut limited = first.clone();
        limited.environment.server_cpu_quota = Some(0.5);
        assert_ne!(of(&limited, &[&limited]), of(&first, &[&first]), "sizes differ");
    }

    #[test]
    fn a_runner_is_named_by_its_labels_and_its_system_and_by_what_drives_it() {
        for (labels, os, name) in [
            (&[][..], "Ubuntu 24.04.1 LTS", "Ubuntu 24.04"),
            (&["ubuntu-24.04"], "Ubuntu 24.04.3 LTS", "ubuntu-24.04"),
            (
                &["self-hosted", "bench"],
                "Debian GNU/Linux 12 (bookworm)",
                "self-hosted, bench (Debian GNU/Linux 12)",
            ),
            (&[], "Arch Linux", "Arch Linux"),
        ] {
            assert_eq!(runner(&on(labels, os), &[]), name);
        }
        let mut driven = on(&["bench"], "Arch Linux");
        driven.load_machines = samples::full().environment.load_machines;
        assert_eq!(runner(&driven, &[]), "bench (Arch Linux), load from 1 machine");
    }

    /// GitHub takes neither the order of labels nor their case into account.
    #[test]
    fn a_runner_is_one_however_its_labels_are_spelt() {
        for (one, other, os) in [
            (["self-hosted", "bench"], ["Bench", "self-hosted"], "Arch Linux"),
            (["ubuntu-24.04", "x64"], ["X64", "Ubuntu-24.04"], "Ubuntu 24.04.3 LTS"),
        ] {
            let record = |labels: &[&str], at: &str| {
                let mut record = samples::record();
                record.environment = on(labels, os);
                record.started_at = at.parse().unwrap();
                record
            };
            let records = [
                record(&other, "2026-02-01T00:00:00Z"),
                record(&one, "2026-01-01T00:00:00Z"),
            ];
            let timeline = Timeline::from_records(&records);
            assert_eq!(timeline.segments().len(), 1, "{:?}", timeline.runs);
            assert!(timeline.runs[1].runner.starts_with(&one.join(", ")), "as the first one");
            let tidied = crate::run_diff::run_diff(&records[0], &records[1], &crate::history::NoLockfiles);
            assert_eq!(tidied.shared, []);
        }
    }
}
