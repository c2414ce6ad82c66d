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

/// One metric of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// Estimate over the rounds.
    pub estimate: f64,
    /// 95 % interval of this one estimate, not of all together: where another session and build on this kind of machine would find the
    /// ratio, or within this session if `sessions` is missing. `None` where there were too few rounds for one.
    pub interval: Option<Interval>,
    /// Number of sessions that show how much sessions differ, this one included; `None` where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<u32>,
}
