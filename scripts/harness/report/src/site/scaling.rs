//! What more workers are worth, as it is published: `data/<lane>/scaling.json`, the curves of a lane's newest run that has any.
//!
//! Speed-ups and the law do not follow from the figures of a series, and a page computes no statistics: so they are judged here, of the
//! published record alone.

use schemars::JsonSchema;
use serde::Serialize;

use super::run::Run;
use super::series::{SeriesSubject, reason};
use analyze::scaling::{Curve, NoLaw, Point, curves};
use model::scenario::Scenario;
use model::{Interval, Lane, Metric, Ratio, Record, Verdict};
use stats::Estimate;

/// Version of this document's shape.
pub const SCHEMA_VERSION: u32 = 1;

/// The curves of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Scaling {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Lane that the run was made in.
    pub lane: Lane,
    /// The run.
    pub run: Run,
    /// Cores to which the cpus of the servers belong; `None` where the record does not say.
    pub server_cores: Option<u32>,
    /// The curves, request by request.
    pub curves: Vec<ScalingCurve>,
}

/// An app under one request at all widths.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScalingCurve {
    /// The app in its variant.
    pub subject: SeriesSubject,
    /// Name of the scenario that is asked at several widths.
    pub scenario: String,
    /// What it shows, for people.
    pub title: String,
    /// The widths, the narrowest first.
    pub points: Vec<ScalingPoint>,
    /// The law that they follow, if one was fitted.
    pub law: Option<ScalingLaw>,
    /// Why none was fitted.
    pub no_law: Option<NoLaw>,
}

/// An app at one width.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScalingPoint {
    /// Workers of the server, from 1.
    pub workers: u32,
    /// Whether each of them had a core of its own; only such widths are fitted.
    pub own_cores: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Its reasons, in one line.
    pub reason: Option<String>,
    /// Whether the server was the limit, so that its goodput counts.
    pub trusted: bool,
    /// Expected answers per second.
    pub goodput_rps: Option<ScalingFigure>,
    /// Goodput ÷ that of one worker, paired within the rounds; `None` of one worker itself, and where one of the two does not count.
    pub speed_up: Option<ScalingFigure>,
    /// CPU time of the server for one answer, in µs.
    pub server_cpu_us_per_request: Option<ScalingFigure>,
    /// The same ÷ that of one worker.
    pub cpu_ratio: Option<ScalingFigure>,
}

/// The Universal Scalability Law, goodput(n) = λn ÷ (1 + σ(n − 1) + κn(n − 1)).
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScalingLaw {
    /// σ, at least 0.
    pub contention: ScalingFigure,
    /// κ, at least 0; `None` where there were two widths, and the law is Amdahl's.
    pub coherency: Option<ScalingFigure>,
}

/// A figure with its 95 % interval, which four rounds and fewer do not have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct ScalingFigure {
    /// Best estimate.
    pub estimate: f64,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl Scaling {
    /// That of a record; `None` where it compares no widths.
    pub fn of(record: &Record) -> Option<Self> {
        let curves: Vec<ScalingCurve> = curves(record).iter().map(|curve| of_curve(record, curve)).collect();
        (!curves.is_empty()).then(|| Self {
            schema_version: SCHEMA_VERSION,
            lane: record.lane,
            run: Run::from_record(record),
            server_cores: record.environment.server_cores,
            curves,
        })
    }
}

fn of_curve(record: &Record, curve: &Curve<'_>) -> ScalingCurve {
    let estimated = |of: Estimate| figure(of.median, of.interval);
    let varies = |scenario: &&Scenario| scenario.varies.as_ref().is_some_and(|varies| varies.like == curve.like);
    let scenario = record.scenarios.iter().find(varies);
    ScalingCurve {
        subject: SeriesSubject::new(curve.app),
        scenario: curve.like.to_owned(),
        title: scenario.map(|scenario| scenario.title.clone()).unwrap_or_default(),
        points: curve.points.iter().map(of_point).collect(),
        law: curve.law.ok().map(|law| ScalingLaw {
            contention: estimated(law.contention),
            coherency: law.coherency.map(estimated),
        }),
        no_law: curve.law.err(),
    }
}

fn of_point(point: &Point<'_>) -> ScalingPoint {
    let measured = |metric| point.figure(metric).map(|found| figure(found.median, found.interval));
    let ratio = |ratio: &Option<Ratio>| ratio.as_ref().map(|ratio| figure(ratio.estimate, ratio.interval));
    ScalingPoint {
        workers: point.workers,
        own_cores: point.own_cores,
        verdict: point.cell.verdict,
        reason: reason(point.cell),
        trusted: point.trusted(Metric::GoodputRps).is_some(),
        goodput_rps: measured(Metric::GoodputRps),
        speed_up: ratio(&point.speed_up),
        server_cpu_us_per_request: measured(Metric::ServerCpuUsPerRequest),
        cpu_ratio: ratio(&point.cpu_ratio),
    }
}

fn figure(estimate: f64, interval: Option<Interval>) -> ScalingFigure {
    ScalingFigure {
        estimate,
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_count_has_a_reason_and_no_speed_up() {
        let found = Scaling::of(&samples::scaled()).unwrap();
        let of = |app: &str| found.curves.iter().find(|curve| curve.subject.app == app).unwrap();
        let axum = of("axum");
        let told: Vec<(bool, bool)> = axum
            .points
            .iter()
            .map(|point| (point.trusted, point.speed_up.is_some()))
            .collect();
        assert_eq!(
            told,
            [
                (true, false),
                (true, true),
                (true, true),
                (false, false),
                (false, false)
            ]
        );
        assert!(axum.points[3].reason.as_ref().unwrap().contains("97 %"));
        assert!(axum.points[3].cpu_ratio.is_some() && axum.law.is_some() && axum.no_law.is_none());
        let ceiling = of("ceiling");
        assert_eq!((ceiling.law.is_some(), ceiling.no_law), (false, Some(NoLaw::NoStart)));
        let speed_up = axum.points[1].speed_up.unwrap();
        assert!(speed_up.low.unwrap() <= speed_up.estimate && speed_up.estimate <= speed_up.high.unwrap());
        assert_eq!(Scaling::of(&samples::record()), None);
    }
}
