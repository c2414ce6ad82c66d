//! The index: which lanes and series are published, and their newest runs. Its size does not grow with the number of runs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::run::Run;
use model::Lane;

/// Version of the index.
pub const SCHEMA_VERSION: u32 = 3;
/// Most partial runs that the index names, the newest. The records of all of them stay.
const MOST_PARTIAL: usize = 50;

/// All published lanes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Index {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// The lanes that have a run.
    pub lanes: BTreeMap<Lane, LaneIndex>,
}

/// What a lane has.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LaneIndex {
    /// Profile that the lane is about, to which badges belong; the newest partial run's where all runs are partial.
    pub profile: String,
    /// Series by their profile.
    pub series: BTreeMap<String, SeriesIndex>,
    /// Runs that are in no series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<Partial>,
}

/// The whole runs of a profile.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SeriesIndex {
    /// Number of them.
    pub runs: usize,
    /// The run that began last.
    pub newest: Run,
}

/// Partial runs: with fewer apps, scenarios or rounds than their profile, or with other settings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Partial {
    /// Number of them.
    pub runs: usize,
    /// The newest of them, the newest first.
    pub newest: Vec<Run>,
}

impl LaneIndex {
    /// Of the whole runs by profile and the partial runs, the oldest first; `None` without any.
    pub fn of(
        profile: Option<String>,
        whole: impl IntoIterator<Item = (String, Vec<Run>)>,
        partial: Vec<Run>,
    ) -> Option<Self> {
        let series = whole.into_iter().filter_map(|(profile, runs)| {
            let (runs, newest) = (runs.len(), runs.last()?.clone());
            Some((profile, SeriesIndex { runs, newest }))
        });
        let of_partial = partial.last().map(|run| run.profile.clone());
        Some(Self {
            profile: profile.or(of_partial)?,
            series: series.collect(),
            partial: (!partial.is_empty()).then(|| Partial {
                runs: partial.len(),
                newest: partial.into_iter().rev().take(MOST_PARTIAL).collect(),
            }),
        })
    }
}
