//! The series of a finished year, from those of its months: a point for every month.
//!
//! A year is there to be seen beside other years, and is written at once: it holds what is followed over years, which is what
//! the scenario is about, CPU time and instructions per request, and peak memory.

use std::collections::{BTreeMap, BTreeSet};

use super::figures::{Figures, Matrix, Rows, known, value_at};
use super::runs::Runs;
use super::{SCHEMA_VERSION, Series};
use judge::rounding::{SHOWN, down, significant, up};
use judge::stats;
use record::scenario::LoadModel;
use record::{Lane, Metric};

use super::super::figure::Figure;
use super::super::period::Year;

/// The series of these months, the oldest first.
pub fn series(lane: Lane, year: Year, months: &[&Series]) -> Series {
    let runs = runs(lane, year, months);
    let figures = runs.scenarios.iter().map(|(scenario, of)| {
        let figures = figures(lane, year, (scenario, of.load), months);
        (scenario.clone(), figures)
    });
    let figures = figures.collect();
    Series { runs, figures }
}

fn runs(lane: Lane, year: Year, months: &[&Series]) -> Runs {
    let known = || months.iter().map(|month| &month.runs);
    let subjects: BTreeMap<_, _> = known().flat_map(|month| month.subjects.clone()).collect();
    // The last that is known in a month stands for it.
    let versions = subjects.keys().map(|subject| {
        let last = |month: &Runs| month.versions.get(subject)?.iter().rev().flatten().next().cloned();
        (subject.clone(), known().map(last).collect())
    });
    let binary_bytes = subjects.keys().map(|subject| {
        let last = |month: &Runs| month.binary_bytes.get(subject)?.iter().rev().flatten().next().copied();
        (subject.clone(), known().map(last).collect())
    });
    Runs {
        schema_version: SCHEMA_VERSION,
        lane,
        period: year.to_string(),
        runs: known().filter_map(|month| month.runs.last().cloned()).collect(),
        points: Some(
            known()
                .map(|month| u32::try_from(month.runs.len()).unwrap_or(u32::MAX))
                .collect(),
        ),
        versions: versions.collect(),
        binary_bytes: binary_bytes.collect(),
        scenarios: known().flat_map(|month| month.scenarios.clone()).collect(),
        subjects,
    }
}

fn figures(lane: Lane, year: Year, (scenario, load): (&str, LoadModel), months: &[&Series]) -> Figures {
    let measured = months.iter().filter_map(|month| {
        let last = month.runs.runs.last()?;
        Some((last.id.clone(), month.figures.get(scenario)?))
    });
    let (runs, months): (Vec<String>, Vec<&Figures>) = measured.unzip();
    let subjects: BTreeSet<&String> = months.iter().flat_map(|month| &month.subjects).collect();
    let rows: Vec<Vec<Option<usize>>> = subjects
        .iter()
        .map(|subject| {
            let row = |month: &&Figures| month.subjects.iter().position(|known| known == *subject);
            months.iter().map(row).collect()
        })
        .collect();
    let metrics: BTreeSet<Metric> = months.iter().flat_map(|month| month.metrics.keys().copied()).collect();
    let metrics = metrics
        .into_iter()
        .filter(|metric| is_followed(*metric, load))
        .filter_map(|metric| {
            let matrix = matrix(metric, &rows, &months);
            (!matrix.trusted.is_empty()).then_some((metric, matrix))
        });
    Figures {
        schema_version: SCHEMA_VERSION,
        lane,
        period: year.to_string(),
        scenario: scenario.to_owned(),
        metrics: metrics.collect(),
        verdicts: rows_from_months(&rows, &months, |month, row| {
            month.verdicts[row].iter().rev().flatten().next().copied()
        }),
        reasons: rows_from_months(&rows, &months, |month, row| {
            // Of the run whose verdict it is, and none if that was valid.
            let last = month.verdicts[row].iter().rposition(Option::is_some)?;
            month.reasons[row][last].clone()
        }),
        subjects: subjects.into_iter().cloned().collect(),
        runs,
    }
}

/// Whether a metric is followed over years.
fn is_followed(metric: Metric, load: LoadModel) -> bool {
    let costs = [
        Metric::ServerCpuUsPerRequest,
        Metric::InstructionsPerRequest,
        Metric::RssPeakBytes,
    ];
    metric == Metric::headline(load) || costs.contains(&metric)
}

fn matrix(metric: Metric, rows: &[Vec<Option<usize>>], months: &[&Figures]) -> Matrix {
    let of = |what: fn(&Matrix) -> &Rows<Figure>, round: fn(f64, usize) -> f64| {
        let point = |month: &Figures, row: usize| {
            let matrix = month.metrics.get(&metric)?;
            let places = 0..month.runs.len();
            let trusted = places.filter(|place| value_at(&matrix.trusted, row, *place) == Some(1));
            let values: Vec<f64> = trusted
                .filter_map(|place| Some(value_at(what(matrix), row, place)?.0))
                .collect();
            stats::median(&values).map(|value| Figure(round(value, SHOWN)))
        };
        known(rows_from_months(rows, months, point))
    };
    let bounded = metric != Metric::RssPeakBytes;
    let median = of(|matrix| &matrix.median, significant);
    let trusted = median
        .iter()
        .map(|row| row.iter().map(|point| point.map(|_| 1)).collect());
    Matrix {
        trusted: trusted.collect(),
        median,
        low: if bounded {
            of(|matrix| &matrix.low, down)
        } else {
            Vec::new()
        },
        high: if bounded {
            of(|matrix| &matrix.high, up)
        } else {
            Vec::new()
        },
        ratio: of(|matrix| &matrix.ratio, significant),
        ..Matrix::default()
    }
}

fn rows_from_months<T>(
    rows: &[Vec<Option<usize>>],
    months: &[&Figures],
    what: impl Fn(&Figures, usize) -> Option<T>,
) -> Rows<T> {
    let of_row = |row: &Vec<Option<usize>>| {
        row.iter()
            .zip(months)
            .map(|(row, month)| what(month, (*row)?))
            .collect()
    };
    rows.iter().map(of_row).collect()
}
