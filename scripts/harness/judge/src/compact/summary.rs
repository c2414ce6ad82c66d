//! The summary as columns. Verdicts and ranks are written as they were; medians, intervals and ratios only where the trials do
//! not say the same, for they are most of it, and the trials are there.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::figure::{Figure, column};
use super::trials::{at, same_length};
use super::{COMPARED, significant};
use record::{Cell, Interval, Metric, Rank, Ratio, Summary, Verdict};

/// By how much two figures may differ that are the same before trials are rounded: half a unit of the third digit, of an app
/// and of the reference that it is divided by, is 1 %.
const SAME: f64 = 0.015;

/// A list for each field of a cell, with a place for each cell. What is unknown everywhere is not written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Columns {
    app: Vec<String>,
    variant: Vec<String>,
    scenario: Vec<String>,
    verdict: Vec<Verdict>,
    reasons: Vec<Vec<String>>,
    metrics: BTreeMap<Metric, MetricColumns>,
    /// Whether medians, intervals and ratios are left out, for they are what the trials say.
    from_trials: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricColumns {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    median: Vec<Option<Figure>>,
    trials: Vec<Option<u32>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rank: Vec<Option<Rank>>,
    /// Of records before schema version 3: tiers that were greedy, and are not taken for ranks.
    #[serde(default, skip_serializing)]
    rank_tier: Vec<Option<u32>>,
    /// 1 or 0.
    trusted: Vec<Option<u8>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    interval: Option<Bounds>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ratio: Option<RatioColumns>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RatioColumns {
    #[serde(alias = "median")]
    estimate: Vec<Option<Figure>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    interval: Option<Bounds>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bounds {
    low: Vec<Option<Figure>>,
    high: Vec<Option<Figure>>,
}

/// Rounds the figures of a cell.
pub fn round(cell: &mut Cell) {
    for summary in cell.metrics.values_mut() {
        summary.median = significant(summary.median, COMPARED);
        summary.interval = summary.interval.map(round_interval);
        summary.ratio = summary.ratio.as_ref().map(round_ratio);
    }
}

fn round_interval(interval: Interval) -> Interval {
    Interval {
        low: significant(interval.low, COMPARED),
        high: significant(interval.high, COMPARED),
    }
}

fn round_ratio(ratio: &Ratio) -> Ratio {
    Ratio {
        estimate: significant(ratio.estimate, COMPARED),
        interval: ratio.interval.map(round_interval),
    }
}

impl Columns {
    /// Of cells, which are rounded already; `found` is what the rounded trials say.
    pub fn of(cells: &[Cell], found: &[Cell]) -> Self {
        let known: BTreeMap<_, &Cell> = found.iter().map(|cell| (key(cell), cell)).collect();
        let from_trials = cells
            .iter()
            .all(|cell| known.get(&key(cell)).is_some_and(|found| says_the_same(cell, found)));
        let metrics: BTreeSet<Metric> = cells.iter().flat_map(|cell| cell.metrics.keys().copied()).collect();
        let of_metric = |metric: Metric| (metric, MetricColumns::of(metric, cells, from_trials));
        Self {
            app: cells.iter().map(|cell| cell.app.clone()).collect(),
            variant: cells.iter().map(|cell| cell.variant.clone()).collect(),
            scenario: cells.iter().map(|cell| cell.scenario.clone()).collect(),
            verdict: cells.iter().map(|cell| cell.verdict).collect(),
            reasons: cells.iter().map(|cell| cell.reasons.clone()).collect(),
            metrics: metrics.into_iter().map(of_metric).collect(),
            from_trials,
        }
    }

    /// The cells; `found` says what the trials say, where that is needed.
    pub fn rows(self, found: impl Fn() -> Vec<Cell>) -> Result<Vec<Cell>, String> {
        let rows = self.app.len();
        for (name, length) in [
            ("variant", self.variant.len()),
            ("scenario", self.scenario.len()),
            ("verdict", self.verdict.len()),
            ("reasons", self.reasons.len()),
        ] {
            same_length(name, length, rows)?;
        }
        let fit = |columns: &MetricColumns| columns.fit(rows, self.from_trials);
        self.metrics.values().try_for_each(fit)?;
        let mut cells = Vec::with_capacity(rows);
        for row in 0..rows {
            let mut metrics = BTreeMap::new();
            for (metric, columns) in &self.metrics {
                metrics.extend(columns.at(row, self.from_trials)?.map(|summary| (*metric, summary)));
            }
            cells.push(Cell {
                app: self.app[row].clone(),
                variant: self.variant[row].clone(),
                scenario: self.scenario[row].clone(),
                verdict: self.verdict[row],
                reasons: self.reasons[row].clone(),
                metrics,
            });
        }
        if self.from_trials {
            complete(&mut cells, &found())?;
        }
        Ok(cells)
    }
}

impl MetricColumns {
    fn of(metric: Metric, cells: &[Cell], from_trials: bool) -> Self {
        let found = || cells.iter().map(|cell| cell.metrics.get(&metric));
        let interval = Bounds::of(found().map(|found| found?.interval));
        let ratios = || found().map(|found| found?.ratio.as_ref());
        let ratio = ratios().any(|ratio| ratio.is_some()).then(|| RatioColumns {
            estimate: ratios().map(|ratio| Some(Figure(ratio?.estimate))).collect(),
            interval: Bounds::of(ratios().map(|ratio| ratio?.interval)),
        });
        Self {
            median: if from_trials {
                Vec::new()
            } else {
                found().map(|found| Some(Figure(found?.median))).collect()
            },
            trials: found().map(|found| Some(found?.trials)).collect(),
            rank: column(found().map(|found| found?.rank)),
            rank_tier: Vec::new(),
            trusted: found().map(|found| Some(u8::from(found?.trusted))).collect(),
            interval: interval.filter(|_| !from_trials),
            ratio: ratio.filter(|_| !from_trials),
        }
    }

    fn fit(&self, rows: usize, from_trials: bool) -> Result<(), String> {
        same_length("median", self.median.len(), if from_trials { 0 } else { rows })?;
        same_length("trials", self.trials.len(), rows)?;
        same_length("trusted", self.trusted.len(), rows)?;
        for (name, length) in [("rank", self.rank.len()), ("rank_tier", self.rank_tier.len())] {
            same_length(name, length, if length == 0 { 0 } else { rows })?;
        }
        let of_ratio = self.ratio.as_ref().and_then(|ratio| ratio.interval.as_ref());
        for bounds in self.interval.iter().chain(of_ratio) {
            same_length("low", bounds.low.len(), rows)?;
            same_length("high", bounds.high.len(), rows)?;
        }
        self.ratio
            .iter()
            .try_for_each(|ratio| same_length("ratio", ratio.estimate.len(), rows))
    }

    fn at(&self, row: usize, from_trials: bool) -> Result<Option<Summary>, String> {
        // What is left out is put in when all rows are there.
        let left_out = self.trials[row].filter(|_| from_trials).map(|_| 0.0);
        let median = at(&self.median, row).or(left_out);
        let (median, trials, trusted) = match (median, self.trials[row], self.trusted[row]) {
            (None, None, None) => return Ok(None),
            (Some(median), Some(trials), Some(trusted)) => (median, trials, trusted != 0),
            _ => return Err(format!("cell {} of its summary has only part of a figure", row + 1)),
        };
        let ratio = |ratio: &RatioColumns| {
            Some(Ratio {
                estimate: at(&ratio.estimate, row)?,
                interval: ratio.interval.as_ref().and_then(|bounds| bounds.at(row)),
            })
        };
        Ok(Some(Summary {
            median,
            interval: self.interval.as_ref().and_then(|bounds| bounds.at(row)),
            trials,
            ratio: self.ratio.as_ref().and_then(ratio),
            rank: self.rank.get(row).copied().flatten(),
            trusted,
        }))
    }
}

impl Bounds {
    fn of(intervals: impl Iterator<Item = Option<Interval>>) -> Option<Self> {
        let intervals: Vec<Option<Interval>> = intervals.collect();
        let end = |of: fn(Interval) -> f64| intervals.iter().map(|i| i.map(|i| Figure(of(i)))).collect();
        intervals.iter().any(Option::is_some).then(|| Self {
            low: end(|interval| interval.low),
            high: end(|interval| interval.high),
        })
    }

    fn at(&self, row: usize) -> Option<Interval> {
        Some(Interval {
            low: at(&self.low, row)?,
            high: at(&self.high, row)?,
        })
    }
}

fn key(cell: &Cell) -> (&str, &str, &str) {
    (&cell.app, &cell.variant, &cell.scenario)
}

/// Puts in the medians, intervals and ratios that the trials give; the error names what they do not give.
fn complete(cells: &mut [Cell], found: &[Cell]) -> Result<(), String> {
    let known: BTreeMap<_, &Cell> = found.iter().map(|cell| (key(cell), cell)).collect();
    for cell in cells {
        let found = known.get(&(cell.app.as_str(), cell.variant.as_str(), cell.scenario.as_str()));
        for (metric, summary) in &mut cell.metrics {
            let Some(found) = found.and_then(|found| found.metrics.get(metric)) else {
                let (app, scenario) = (&cell.app, &cell.scenario);
                return Err(format!("its trials do not give the {metric:?} of {app} in {scenario}"));
            };
            summary.median = significant(found.median, COMPARED);
            summary.interval = found.interval.map(round_interval);
            summary.ratio = found.ratio.as_ref().map(round_ratio);
        }
    }
    Ok(())
}

/// Whether the trials give the medians, intervals and ratios that the cell has, but for what rounding them has changed.
fn says_the_same(cell: &Cell, found: &Cell) -> bool {
    cell.metrics.iter().all(|(metric, summary)| {
        found.metrics.get(metric).is_some_and(|found| {
            let ratios = match (&summary.ratio, &found.ratio) {
                (Some(one), Some(other)) => {
                    near(one.estimate, other.estimate) && near_interval(one.interval, other.interval)
                }
                (None, None) => true,
                _ => false,
            };
            ratios && near(summary.median, found.median) && near_interval(summary.interval, found.interval)
        })
    })
}

fn near_interval(one: Option<Interval>, other: Option<Interval>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => near(one.low, other.low) && near(one.high, other.high),
        (None, None) => true,
        _ => false,
    }
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME * one.abs().max(other.abs())
}
