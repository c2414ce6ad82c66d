//! A series: all figures of the whole runs of a lane and profile. So that a page need not read years of them, each run's are
//! written by themselves, too.
//!
//! What says little is left out: intervals stand next to what is ranked and trusted and next to tails, ratios next to what the load is about
//! and what a request costs. A tail of too few requests says nothing.

mod figures;

use std::collections::{BTreeMap, BTreeSet};

use analyze::rounding::{COMPARED, SHOWN, down, significant, up};
use model::escape::{SENTENCE, clean};
use model::scenario::{LoadModel, Scenario};
use model::{AppRecord, Cell, DEFAULT_VARIANT, Interval, Lane, Metric, Ratio, Record, Summary};
use schemars::JsonSchema;
use serde::Serialize;

use super::run::Run;
use figures::{Rows, known};

pub use figures::{Figures, Matrix};

/// Version of both documents.
const SCHEMA_VERSION: u32 = 3;

/// The runs of a series, the oldest first. Lists have one place for each run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Runs {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Lane that they were made in.
    pub lane: Lane,
    /// Profile of the runs.
    pub profile: String,
    /// The runs.
    pub runs: Vec<Run>,
    /// What was measured, as its last run knows it.
    pub subjects: BTreeMap<String, AppRecord>,
    /// Version of each subject's framework.
    pub versions: BTreeMap<String, Vec<Option<String>>>,
    /// Size of each subject's program.
    pub binary_bytes: BTreeMap<String, Vec<Option<u64>>>,
    /// How it was measured, as the last run knows it.
    pub scenarios: BTreeMap<String, Scenario>,
}

/// The series of these records, which share lane and profile, the oldest first, and the figures of each scenario.
pub fn series<'r>(records: &'r [Record], runs: &[Run]) -> (Runs, Vec<Figures>) {
    let apps = || records.iter().flat_map(|record| &record.apps);
    let subjects: BTreeMap<String, AppRecord> = apps().map(|app| (key_of(app), app.clone())).collect();
    let (mut versions, mut binary_bytes) = (BTreeMap::new(), BTreeMap::new());
    for subject in subjects.keys() {
        let app = |record: &'r Record| record.apps.iter().find(|app| key_of(app) == *subject);
        let apps = || records.iter().map(app);
        let version = |app: Option<&AppRecord>| Some(app?.framework_version.clone());
        let bytes = |app: Option<&AppRecord>| app?.binary_bytes;
        versions.insert(subject.clone(), apps().map(version).collect());
        binary_bytes.insert(subject.clone(), apps().map(bytes).collect());
    }
    let scenarios = records.iter().flat_map(|record| {
        let measured: BTreeSet<&str> = record.summary.iter().map(|cell| cell.scenario.as_str()).collect();
        let scenarios = record.scenarios.iter();
        scenarios.filter(move |scenario| measured.contains(scenario.id.as_str()))
    });
    let scenarios = scenarios.map(|scenario| (scenario.id.clone(), scenario.clone()));
    let runs = Runs {
        schema_version: SCHEMA_VERSION,
        lane: records[0].lane,
        profile: records[0].profile.clone(),
        runs: runs.to_vec(),
        versions,
        binary_bytes,
        scenarios: scenarios.collect(),
        subjects,
    };
    let scenarios = runs.scenarios.values();
    let figures = scenarios.map(|scenario| figures(scenario, records)).collect();
    (runs, figures)
}

/// The key of an app in a variant: `axum`, `axum:tuned`.
fn key(app: &str, variant: &str) -> String {
    match variant {
        DEFAULT_VARIANT => app.to_owned(),
        variant => format!("{app}:{variant}"),
    }
}

pub fn key_of(app: &AppRecord) -> String {
    key(&app.id, &app.variant)
}

fn figures(scenario: &Scenario, records: &[Record]) -> Figures {
    let measured = records.iter().filter_map(|record| {
        let cells = record.summary.iter().filter(|cell| cell.scenario == scenario.id);
        let cells: BTreeMap<String, &Cell> = cells.map(|cell| (key(&cell.app, &cell.variant), cell)).collect();
        (!cells.is_empty()).then_some((record, cells))
    });
    let (measured, cells): (Vec<&Record>, Vec<BTreeMap<String, &Cell>>) = measured.unzip();
    let runs = measured.iter().map(|record| record.id.clone()).collect();
    let subjects: BTreeSet<&String> = cells.iter().flat_map(BTreeMap::keys).collect();
    let place = |app: &AppRecord| {
        let key = key_of(app);
        u32::try_from(subjects.iter().position(|subject| **subject == key)?).ok()
    };
    let places = measured.iter().map(|record| record.apps.iter().map(place).collect());
    let places: Vec<Places> = places.collect();
    let row = |subject: &&String| cells.iter().map(|cells| cells.get(*subject).copied()).collect();
    let rows: Vec<Vec<Option<&Cell>>> = subjects.iter().map(row).collect();
    let known = Metric::ALL.into_iter().filter(|metric| metric.is_known_in(scenario));
    let metrics = known.filter_map(|metric| {
        let matrix = matrix(metric, scenario.load, &rows, &places);
        (!matrix.trusted.is_empty()).then_some((metric, matrix))
    });
    Figures {
        schema_version: SCHEMA_VERSION,
        lane: records[0].lane,
        profile: records[0].profile.clone(),
        scenario: scenario.id.clone(),
        metrics: metrics.collect(),
        verdicts: rows_from_cells(&rows, |cell| Some(cell.verdict)),
        reasons: rows_from_cells(&rows, reason),
        subjects: subjects.into_iter().cloned().collect(),
        runs,
    }
}

fn matrix(metric: Metric, load: LoadModel, rows: &[Vec<Option<&Cell>>], places: &[Places]) -> Matrix {
    let compared = metric == Metric::headline(load)
        || matches!(metric, Metric::ServerCpuUsPerRequest | Metric::InstructionsPerRequest);
    let digits = if compared { COMPARED } else { SHOWN };
    let is_bounded = metric.is_ranked(load) || metric.is_tail();
    let interval = |summary: &Summary| summary.interval.filter(|_| summary.trusted && is_bounded);
    let ratio = |summary: &Summary| summary.ratio.clone().filter(|_| summary.trusted && compared);
    let low = |interval: Interval| down(interval.low, SHOWN);
    let high = |interval: Interval| up(interval.high, SHOWN);
    Matrix {
        median: of(rows, metric, |found| Some(significant(found.median, digits))),
        low: of(rows, metric, |found| interval(found).map(low)),
        high: of(rows, metric, |found| interval(found).map(high)),
        ratio: of(rows, metric, |found| {
            Some(significant(ratio(found)?.estimate, COMPARED))
        }),
        ratio_low: of(rows, metric, |found| ratio(found)?.interval.map(low)),
        ratio_high: of(rows, metric, |found| ratio(found)?.interval.map(high)),
        own_work: of(rows, metric, |found| {
            Some((10.0 * found.own_work?.estimate).round() / 10.0)
        }),
        own_work_margin: of(rows, metric, |found| Some(found.own_work?.margin.ceil())),
        sessions: most(metric, rows, |ratio| ratio.sessions),
        days: most(metric, rows, |ratio| ratio.days),
        rank_best: of(rows, metric, |found| Some(found.rank?.best)),
        rank_worst: of(rows, metric, |found| Some(found.rank?.worst)),
        behind: known(behind(metric, rows, places)),
        trusted: of(rows, metric, |found| Some(u8::from(found.trusted))),
        trials: of(rows, metric, |found| Some(found.trials)),
        ..Matrix::default()
    }
}

/// For each run, the most of its ratios.
fn most(metric: Metric, rows: &[Vec<Option<&Cell>>], of: fn(&Ratio) -> Option<u32>) -> Vec<Option<u32>> {
    let of_run = |run: usize| {
        let cells = rows.iter().filter_map(|row| row[run]);
        let known = cells.filter_map(|cell| of(cell.metrics.get(&metric)?.ratio.as_ref()?));
        known.max()
    };
    let found = (0..rows.first().map_or(0, Vec::len)).map(of_run).collect();
    known(vec![found]).pop().unwrap_or_default()
}

/// Of each app of a run, its place among the subjects.
type Places = Vec<Option<u32>>;

/// The subjects that were better although the two ranges of places overlap.
fn behind(metric: Metric, rows: &[Vec<Option<&Cell>>], places: &[Places]) -> Rows<Vec<u32>> {
    let of_cell = |cell: Option<&Cell>, places: &Places| {
        let apps = &cell?.metrics.get(&metric)?.behind;
        let better: Vec<u32> = apps.iter().filter_map(|app| *places.get(*app)?).collect();
        (!better.is_empty()).then_some(better)
    };
    let of_row = |row: &Vec<Option<&Cell>>| {
        let cells = row.iter().zip(places);
        cells.map(|(cell, places)| of_cell(*cell, places)).collect()
    };
    rows.iter().map(of_row).collect()
}

/// One figure of a metric.
fn of<T>(rows: &[Vec<Option<&Cell>>], metric: Metric, what: impl Fn(&Summary) -> Option<T>) -> Rows<T> {
    known(rows_from_cells(rows, |cell| what(cell.metrics.get(&metric)?)))
}

fn rows_from_cells<T>(rows: &[Vec<Option<&Cell>>], what: impl Fn(&Cell) -> Option<T>) -> Rows<T> {
    let of_row = |row: &Vec<Option<&Cell>>| row.iter().map(|cell| what((*cell)?)).collect();
    rows.iter().map(of_row).collect()
}

/// Why a measurement is not worth more, in one line.
fn reason(cell: &Cell) -> Option<String> {
    (!cell.reasons.is_empty()).then(|| clean(&cell.reasons.join("; "), SENTENCE))
}
