//! The index: which lanes and series are published, and their newest runs. Its size does not grow with the number of runs.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::run::Run;
use model::Lane;

/// Version of the index.
const SCHEMA_VERSION: u32 = 3;
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
    /// Profile that the lane is about, to which badges belong; that of the newest partial run where there are only those.
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

impl SeriesIndex {
    /// Of runs, of which there is one.
    pub fn of(runs: Vec<Run>) -> Self {
        let number = runs.len();
        let newest = runs.into_iter().max_by(|one, other| one.order().cmp(&other.order()));
        Self {
            runs: number,
            newest: newest.expect("a series has a run"),
        }
    }
}

impl Partial {
    /// Counts these runs and names the newest; `None` if there is none.
    pub fn of(mut newest: Vec<Run>) -> Option<Self> {
        newest.sort_by(|one, other| other.order().cmp(&one.order()));
        let runs = newest.len();
        newest.truncate(MOST_PARTIAL);
        (runs > 0).then_some(Self { runs, newest })
    }
}

impl LaneIndex {
    /// A lane with these series and partial runs; `None` if it has no run at all.
    pub fn new(
        profile: Option<String>,
        series: BTreeMap<String, SeriesIndex>,
        partial: Option<Partial>,
    ) -> Option<Self> {
        let of_partial = || Some(partial.as_ref()?.newest[0].profile.clone());
        Some(Self {
            profile: profile.or_else(of_partial)?,
            series,
            partial,
        })
    }
}

impl Index {
    /// When the newest run began.
    pub fn newest(&self) -> Option<Timestamp> {
        let runs = self.lanes.values().flat_map(|lane| {
            let partial = lane.partial.iter().flat_map(|partial| &partial.newest);
            lane.series.values().map(|series| &series.newest).chain(partial)
        });
        runs.map(|run| run.started_at).max()
    }

    /// The index of a branch without a run.
    pub fn empty() -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            lanes: BTreeMap::new(),
        }
    }
}
