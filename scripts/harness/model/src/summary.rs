//! What the trials say together.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use stats::{Interval, Rank};

use crate::{Metric, Verdict};

/// One cell of the result: an app in a variant under a scenario, over all rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Name of the app's folder.
    pub app: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Name of the scenario.
    pub scenario: String,
    /// The verdict on the cell.
    pub verdict: Verdict,
    /// Why, in words; empty if and only if the verdict is `valid`.
    pub reasons: Vec<String>,
    /// The result for each metric; a metric that was not measured is missing.
    pub metrics: BTreeMap<Metric, Summary>,
}

impl Cell {
    /// The result for one metric, if it is trusted.
    pub fn trusted(&self, metric: Metric) -> Option<&Summary> {
        self.metrics.get(&metric).filter(|summary| summary.trusted)
    }
}

/// One metric of one cell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Median over the trials.
    pub median: f64,
    /// 95 % interval of the median; `None` where there were too few trials for one.
    pub interval: Option<Interval>,
    /// Number of trials behind it.
    pub trials: u32,
    /// Value ÷ the reference's value, without the machine's effect on whole rounds.
    pub ratio: Option<Ratio>,
    /// The server's own work, of CPU time only; `None` where one of the two ends of the scale was not measured, or they are too near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_work: Option<OwnWork>,
    /// The range of ranks that the proven differences allow; `None` if it is not ranked.
    pub rank: Option<Rank>,
    /// The apps of its group that were found better although the two ranges of ranks overlap, as places in the record's `apps`, from 0.
    /// Together with the ranges that have nothing in common, these are all pairs that the run distinguishes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<usize>,
    /// Whether the figure is valid under the verdict; if not, it is marked and never ranked.
    pub trusted: bool,
}

/// A ratio to the reference. The effects of rounds are estimated from all apps of the scenario.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// Estimate over the rounds.
    pub estimate: f64,
    /// 95 % interval of this one estimate, not of all together: where another session on this kind of machine would find the ratio, or within
    /// this session if `sessions` is missing. `None` where there were too few rounds for one.
    pub interval: Option<Interval>,
    /// Number of sessions that it is the mean of, this one included; `None` where it is this one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<u32>,
    /// On how many days they were, which are dates at least twelve hours apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
}

/// Where a server's CPU time for a request lies between that of the smallest possible server, 0, and that of Rocket 0.5.2, 100: what it does
/// itself, without what socket and kernel cost every server. Unlike a ratio, it is nearly the same on another cpu
/// (scripts/harness/docs/ranking.md).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnWork {
    /// Best estimate; below 0 for a server that costs less than the smallest possible one.
    pub estimate: f64,
    /// How far from it, either way, another cpu finds it with 95 %.
    pub margin: f64,
}
