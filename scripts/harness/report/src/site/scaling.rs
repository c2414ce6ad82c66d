//! What more workers are worth, as it is published: `data/<lane>/scaling.json`, the curves of a lane's newest run that has any.
//!
//! Speed-ups and the law do not follow from the figures of a series, and a page computes no statistics.

use schemars::JsonSchema;
use serde::Serialize;

use super::run::Run;
use analyze::scaling::{Curve, curves};
use model::{Lane, Record};

/// Version of this document's shape.
pub const SCHEMA_VERSION: u32 = 2;

/// The curves of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Scaling<'a> {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Lane that the run was made in.
    pub lane: Lane,
    /// The run.
    pub run: Run,
    /// Cores to which the cpus of the servers belong; `None` where the record does not say.
    pub server_cores: Option<u32>,
    /// The curves, request by request.
    pub curves: Vec<Curve<'a>>,
}

impl<'a> Scaling<'a> {
    /// A record's; `None` where it compares no widths.
    pub fn of(record: &'a Record) -> Option<Self> {
        let curves = curves(record);
        (!curves.is_empty()).then(|| Self {
            schema_version: SCHEMA_VERSION,
            lane: record.lane,
            run: Run::from_record(record),
            server_cores: record.environment.server_cores,
            curves,
        })
    }
}

#[cfg(test)]
mod tests {
    use analyze::scaling::NoLaw;
    use model::Metric;

    use super::*;

    #[test]
    fn what_does_not_count_has_a_reason_and_no_speed_up() {
        let record = samples::scaled();
        let found = Scaling::of(&record).unwrap();
        let of = |app: &str| found.curves.iter().find(|curve| curve.app.id == app).unwrap();
        let axum = of("axum");
        let is_known =
            |point: &analyze::scaling::Point| (point.trusted(Metric::GoodputRps).is_some(), point.speed_up.is_some());
        let known: Vec<(bool, bool)> = axum.points.iter().map(is_known).collect();
        assert_eq!(
            known,
            [
                (true, false),
                (true, true),
                (true, true),
                (false, false),
                (false, false)
            ]
        );
        assert!(axum.points[3].cell.reasons[0].contains("97 %"));
        assert!(axum.points[3].cpu_ratio.is_some() && axum.law.is_some() && axum.no_law.is_none());
        let ceiling = of("ceiling");
        assert_eq!((ceiling.law.is_some(), ceiling.no_law), (false, Some(NoLaw::NoStart)));
        let speed_up = axum.points[1].speed_up.as_ref().unwrap();
        let interval = speed_up.interval.unwrap();
        assert!(interval.low <= speed_up.estimate && speed_up.estimate <= interval.high);
        assert_eq!(Scaling::of(&samples::record()), None);
    }
}
