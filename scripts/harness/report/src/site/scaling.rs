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
