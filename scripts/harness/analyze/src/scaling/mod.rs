//! What more workers are worth: speed-ups over one worker, and the law that they follow. Pure functions of a record.
//!
//! A scenario that varies another by [`Dimension::Workers`] is one width of its servers. Speed-ups are paired: what an app answered with
//! more workers ÷ what it answered with one, in the same round. They compare goodput, so a width has one only where its server was the
//! limit; where the load generator was, the generator's limit would be taken for the server's. CPU time per request stands there too.
//!
//! The law ([`Law`]) holds for processors that are alike, so it is fitted to widths whose workers have a core each.

mod law;
#[cfg(test)]
mod tests;

use crate::variations;
use crate::variations::{Family, families};
use model::scenario::{Dimension, Scenario};
use model::{AppRecord, Cell, Metric, Ratio, Record};
use schemars::JsonSchema;
use serde::Serialize;

pub use law::{Law, Levels};

/// An app under one request at all widths.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ScalingCurve")]
pub struct Curve<'a> {
    /// The app.
    pub app: &'a AppRecord,
    /// Name of the scenario that is varied.
    pub like: &'a str,
    /// What it shows, for people.
    pub title: &'a str,
    /// Its widths, the narrowest first.
    pub points: Vec<Point<'a>>,
    /// The law that they follow, if one was fitted.
    pub law: Option<Law>,
    /// Why none was fitted.
    pub no_law: Option<NoLaw>,
}

/// An app at one width.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ScalingPoint")]
pub struct Point<'a> {
    /// Workers of the server, from 1.
    pub workers: u32,
    /// Whether each of them had a core of its own; otherwise some shared one, whose threads are not worth a core each.
    pub own_cores: bool,
    /// The verdict with its reasons, and the figures.
    pub cell: &'a Cell,
    /// Goodput ÷ one worker's; `None` where one of the two is not trusted, and for one worker itself.
    pub speed_up: Option<Ratio>,
    /// CPU time per request ÷ one worker's; `None` where one of the two is not trusted, and for one worker itself.
    pub cpu_ratio: Option<Ratio>,
}

/// Why no law was fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoLaw {
    /// What one worker reached does not count, as its verdict says.
    NoStart,
    /// Fewer than two widths with a core for each worker count.
    TooFewWidths,
    /// No round has all widths.
    NoRound,
}

/// All curves of a run: scenario by scenario, the apps in the order of the record. None where no scenario is a width.
pub fn curves(record: &Record) -> Vec<Curve<'_>> {
    let families = families(&record.scenarios).into_iter();
    let by_workers = families.filter(|family| family.by == Dimension::Workers);
    by_workers
        .flat_map(|mut family| {
            let widths = &mut family.variations;
            widths.retain(|scenario| scenario.workers.is_some());
            widths.sort_by_key(|scenario| scenario.workers);
            widths.dedup_by_key(|scenario| scenario.workers);
            let curves = record.apps.iter().filter_map(|app| curve(record, app, &family));
            curves.collect::<Vec<_>>()
        })
        .collect()
}

fn curve<'a>(record: &'a Record, app: &'a AppRecord, family: &Family<'a>) -> Option<Curve<'a>> {
    let widths = &family.variations;
    let point = |scenario: &&Scenario| {
        let workers = scenario.workers?;
        Some(Point {
            workers,
            own_cores: record.environment.server_cores.is_none_or(|cores| workers <= cores),
            cell: record.cell(&app.id, &app.variant, &scenario.id)?,
            speed_up: None,
            cpu_ratio: None,
        })
    };
    let mut points: Vec<Point<'a>> = widths.iter().map(point).collect::<Option<_>>()?;
    let one = points.first()?.clone();
    if one.workers == 1 {
        for (point, scenario) in points.iter_mut().zip(widths).skip(1) {
            let ratio = |metric: Metric| {
                one.cell.trusted(metric).and(point.cell.trusted(metric))?;
                variations::ratio(record, app, metric, &scenario.id, &widths[0].id)
            };
            (point.speed_up, point.cpu_ratio) = (ratio(Metric::GoodputRps), ratio(Metric::ServerCpuUsPerRequest));
        }
    }
    let law = law_of(record, app, &points, widths);
    Some(Curve {
        app,
        like: family.like,
        title: &widths[0].title,
        points,
        law: law.ok(),
        no_law: law.err(),
    })
}

fn law_of(record: &Record, app: &AppRecord, points: &[Point<'_>], widths: &[&Scenario]) -> Result<Law, NoLaw> {
    let counts = |point: &Point<'_>| point.own_cores && point.cell.trusted(Metric::GoodputRps).is_some();
    let fitting: Vec<_> = points.iter().zip(widths).filter(|(point, _)| counts(point)).collect();
    if points[0].workers == 1 && !counts(&points[0]) {
        return Err(NoLaw::NoStart);
    }
    if fitting.len() < 2 || fitting[0].0.workers != 1 {
        return Err(NoLaw::TooFewWidths);
    }
    let levels = fitting.iter().map(|(point, scenario)| {
        let levels = variations::by_round(record, app, Metric::GoodputRps, &scenario.id);
        (point.workers, levels)
    });
    let levels: Vec<_> = levels.collect();
    // Only rounds with all widths: each is fitted to the same ones.
    let in_round = |round: &u32| -> Option<Levels> {
        let each = levels.iter();
        each.map(|(workers, levels)| Some((*workers, *levels.get(round).filter(|level| **level > 0.0)?)))
            .collect()
    };
    let rounds: Vec<Levels> = levels[0].1.keys().filter_map(in_round).collect();
    Law::fit(&rounds).ok_or(NoLaw::NoRound)
}
