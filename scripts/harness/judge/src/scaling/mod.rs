//! What more workers are worth: speed-ups over one worker, and the law that they follow. Pure functions of a record.
//!
//! A scenario that varies another by [`Dimension::Workers`] is one width of its servers. Speed-ups are paired: what an app answered with
//! more workers ÷ what it answered with one, in the same round. They are of goodput, so a width tells one only where its server was the
//! limit; where the load generator was, the generator's limit would be taken for the server's. CPU time per request stands there too.
//!
//! The law ([`Law`]) is of processors that are alike, so it is fitted to widths whose workers have a core each.

mod law;
#[cfg(test)]
mod tests;

use crate::analysis::usable_in;
use crate::variations;
use crate::variations::{Family, families};
use record::scenario::{Dimension, Scenario};
use record::{AppRecord, Cell, Metric, Ratio, Record, Summary, Verdict};

pub use law::{Law, Levels};

/// An app under one request at all widths.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve<'a> {
    /// The app.
    pub app: &'a AppRecord,
    /// Name of the scenario that is varied.
    pub like: &'a str,
    /// Its widths, the narrowest first.
    pub points: Vec<Point<'a>>,
    /// The law that they follow, or why none was fitted.
    pub law: Result<Law, NoLaw>,
}

/// An app at one width.
#[derive(Debug, Clone, PartialEq)]
pub struct Point<'a> {
    /// Workers of the server, from 1.
    pub workers: u32,
    /// Whether each of them had a core of its own; otherwise some shared one, whose threads are not worth a core each.
    pub own_cores: bool,
    /// The verdict with its reasons, and the figures.
    pub cell: &'a Cell,
    /// Goodput ÷ that of one worker; `None` where one of the two is not trusted, and for one worker itself.
    pub speed_up: Option<Ratio>,
    /// CPU time per request ÷ that of one worker; `None` where one of the two is not trusted, and for one worker itself.
    pub cpu_ratio: Option<Ratio>,
}

impl Point<'_> {
    /// What was measured by `metric`, whether it is trusted or not.
    pub fn figure(&self, metric: Metric) -> Option<&Summary> {
        self.cell.metrics.get(&metric)
    }

    /// The same if it is trusted.
    pub fn trusted(&self, metric: Metric) -> Option<&Summary> {
        self.figure(metric).filter(|summary| summary.trusted)
    }
}

/// Why no law was fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLaw {
    /// What one worker reached is not trusted, by this verdict.
    NoStart(Verdict),
    /// Fewer than two widths whose workers had a core each have a goodput that is trusted.
    TooFewWidths,
    /// No round has all widths.
    NoRound,
}

/// All curves of a run: scenario by scenario, the apps in the order of the record. None where no scenario is a width.
pub fn curves(record: &Record) -> Vec<Curve<'_>> {
    let families = families(&record.scenarios).into_iter();
    families
        .filter(|family| family.by == Dimension::Workers)
        .flat_map(|family| {
            let widths = widths(family);
            let of = |app| curve(record, app, family_name(&widths)?, &widths);
            record.apps.iter().filter_map(of).collect::<Vec<_>>()
        })
        .collect()
}

type Width<'a> = (u32, &'a Scenario);

fn widths(family: Family<'_>) -> Vec<Width<'_>> {
    let scenarios = family.variations.into_iter();
    let mut widths: Vec<Width<'_>> = scenarios
        .filter_map(|scenario| Some((scenario.workers?, scenario)))
        .collect();
    widths.sort_by_key(|(workers, _)| *workers);
    widths.dedup_by_key(|(workers, _)| *workers);
    widths
}

fn family_name<'a>(widths: &[Width<'a>]) -> Option<&'a str> {
    let (_, scenario) = widths.first()?;
    Some(scenario.varies.as_ref()?.like.as_str())
}

fn curve<'a>(record: &'a Record, app: &'a AppRecord, like: &'a str, widths: &[Width<'a>]) -> Option<Curve<'a>> {
    let mut points: Vec<(Point<'a>, &'a Scenario)> = Vec::new();
    for (workers, scenario) in widths {
        let cell = record
            .summary
            .iter()
            .find(|cell| (&cell.app, &cell.variant, &cell.scenario) == (&app.id, &app.variant, &scenario.id));
        let point = Point {
            workers: *workers,
            own_cores: record.environment.server_cores.is_none_or(|cores| *workers <= cores),
            cell: cell?,
            speed_up: None,
            cpu_ratio: None,
        };
        points.push((point, scenario));
    }
    let one = points.first().filter(|(point, _)| point.workers == 1).cloned();
    if let Some((one, plain)) = &one {
        for (point, scenario) in &mut points[1..] {
            let ratio = |metric: Metric| {
                one.trusted(metric).and(point.trusted(metric))?;
                variations::ratio(record, app, metric, &scenario.id, &plain.id)
            };
            (point.speed_up, point.cpu_ratio) = (ratio(Metric::GoodputRps), ratio(Metric::ServerCpuUsPerRequest));
        }
    }
    let law = law_of(record, app, &points);
    Some(Curve {
        app,
        like,
        law,
        points: points.into_iter().map(|(point, _)| point).collect(),
    })
}

fn law_of(record: &Record, app: &AppRecord, points: &[(Point<'_>, &Scenario)]) -> Result<Law, NoLaw> {
    let counts = |(point, _): &&(Point<'_>, &Scenario)| point.own_cores && point.trusted(Metric::GoodputRps).is_some();
    let fitting: Vec<_> = points.iter().filter(counts).collect();
    if fitting.first().is_none_or(|(point, _)| point.workers != 1) {
        return Err(match points.first() {
            Some((point, _)) if point.workers == 1 => NoLaw::NoStart(point.cell.verdict),
            _ => NoLaw::TooFewWidths,
        });
    }
    if fitting.len() < 2 {
        return Err(NoLaw::TooFewWidths);
    }
    // Only rounds with all widths: each is fitted to the same ones.
    let levels: Vec<Vec<(u32, f64)>> = fitting
        .iter()
        .map(|(_, scenario)| {
            let trials = usable_in(record, app, &scenario.id).into_iter();
            let levels = trials.filter_map(|trial| Some((trial.round, Metric::GoodputRps.value(trial)?)));
            levels.filter(|(_, level)| *level > 0.0).collect()
        })
        .collect();
    let in_round = |round: u32| -> Option<Levels> {
        let each = fitting.iter().zip(&levels);
        each.map(|((point, _), levels)| {
            let (_, level) = levels.iter().find(|(other, _)| *other == round)?;
            Some((point.workers, *level))
        })
        .collect()
    };
    let rounds: Vec<Levels> = levels[0].iter().filter_map(|(round, _)| in_round(*round)).collect();
    Law::fit(&rounds).ok_or(NoLaw::NoRound)
}
