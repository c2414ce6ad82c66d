//! What the trials say together.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// What the cell is worth.
    pub verdict: Verdict,
    /// Why, in words; empty if and only if the verdict is `valid`.
    pub reasons: Vec<String>,
    /// What was found for each metric. A metric that was not measured is not there.
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
    /// Value ÷ the reference's value, without what the machine did to a whole round.
    pub ratio: Option<Ratio>,
    /// The places that the proven differences leave to it; `None` if it is not ranked.
    pub rank: Option<Rank>,
    /// Whether the verdict leaves this figure standing; one that does not is shown apart and never ranked.
    pub trusted: bool,
}

/// The range of places that the proven differences leave to an app: 1 plus how many are proven to be better, to the number of
/// all less how many are proven to be worse. All differences of one scenario and metric hold together with 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rank {
    /// The best place that it may have, from 1.
    pub best: u32,
    /// The worst.
    pub worst: u32,
}

impl fmt::Display for Rank {
    /// `1`, `2–5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.best == self.worst {
            write!(f, "{}", self.best)
        } else {
            write!(f, "{}–{}", self.best, self.worst)
        }
    }
}

/// A ratio to the reference. Rounds are compared as wholes: their effects are estimated from all apps of the scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// Estimate over the rounds.
    #[serde(alias = "median")] // its name before schema version 3
    pub estimate: f64,
    /// 95 % interval of that estimate alone, not of all at once; `None` where there were too few rounds for one.
    pub interval: Option<Interval>,
}

/// An interval, both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}
