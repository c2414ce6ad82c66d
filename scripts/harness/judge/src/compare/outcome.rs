//! The result of a comparison, as it is written to `comparison.json`: the interface between measuring and presenting, as
//! [`record`] is for a run. Unknown fields are refused.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gates::{Gates, Gauge};
use super::probing::{Effect, Probing};
use super::sharding::Sharding;
use record::{Environment, Interval};

/// The version of the comparison that this program writes, and the newest that it reads.
pub const SCHEMA_VERSION: u32 = 3;

/// Two revisions, compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// The overall decision.
    pub decision: Decision,
    /// What it is compared with.
    pub base: Side,
    /// What is proposed.
    pub head: Side,
    /// When the comparison began, UTC.
    pub started_at: Timestamp,
    /// When it ended, UTC.
    pub finished_at: Timestamp,
    /// Version of the harness.
    pub harness: String,
    /// What it was measured on, of several machines the first; `None` if nothing was measured.
    pub environment: Option<Environment>,
    /// The rules by which it was judged.
    pub gates: Gates,
    /// How it was divided among machines; `None` if one measured all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharding: Option<Sharding>,
    /// Apps that the change touches, sorted; of a shard, those that are its own.
    pub apps: Vec<App>,
    /// Apps that it does not touch, by id.
    pub untouched: Vec<String>,
    /// What was measured, in the order of apps, scenarios and metrics.
    pub series: Vec<Series>,
    /// The quick cases on both sides; `None` if nothing was measured, and before version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<Probing>,
    /// Whether the time ran out before every series was decided.
    pub budget_spent: bool,
    /// Warnings about this comparison, in words.
    pub warnings: Vec<String>,
}

impl Comparison {
    /// The overall decision: the worst of what is judged.
    pub fn decide(&self) -> Decision {
        if self.apps.iter().any(|app| app.status.is_failure()) || self.broken() > 0 {
            return Decision::Regression;
        }
        let judged = self
            .series
            .iter()
            .filter(|series| series.judged)
            .map(|series| series.decision);
        let lost = self.lost().next().map(|_| Decision::Inconclusive);
        judged.chain(lost).max().unwrap_or(Decision::NothingToMeasure)
    }

    /// Apps whose shard sent no result.
    pub fn lost(&self) -> impl Iterator<Item = &App> {
        self.apps.iter().filter(|app| app.status == Status::NotMeasured)
    }

    /// Number of quick cases that must hold, and that head breaks.
    pub fn broken(&self) -> usize {
        let probes = self.probes.iter();
        probes.flat_map(|probes| probes.with(Effect::Breaks)).count()
    }
}

/// One of the two revisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Its name as given.
    pub revision: String,
    /// Its commit; for the working tree the commit that is checked out.
    pub commit: String,
    /// Whether it is the working tree and differs from that commit.
    pub dirty: bool,
}

/// The decision about a series, an app or the whole comparison, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The change touches no app: nothing was measured.
    NothingToMeasure,
    /// Proven not to differ by the minimum effect.
    NoChange,
    /// Proven to be better, and estimated to be so by at least the minimum effect.
    Improvement,
    /// Neither proven to differ nor proven not to.
    Inconclusive,
    /// Proven to be worse, and estimated to be so by at least the minimum effect; or it failed, vanished, broke the contract, or breaks a
    /// quick case of what must hold.
    Regression,
}

impl Decision {
    /// Whether it names a change, for better or worse.
    pub fn names_a_change(self) -> bool {
        matches!(self, Self::Regression | Self::Improvement)
    }
}

/// An app that the change touches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct App {
    /// Name of the app's folder.
    pub id: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Its state.
    pub status: Status,
    /// Why, in words, where it was not measured.
    pub reason: Option<String>,
    /// What changed in it.
    pub causes: Vec<Cause>,
    /// Dependencies that changed, sorted.
    pub dependencies: Vec<Dependency>,
}

/// The state of an app in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Both sides were measured.
    Measured,
    /// The change makes no difference to the program: both sides are the same, byte for byte.
    SameBinary,
    /// Only head has it: there is nothing to compare it with.
    New,
    /// The shard that was to measure it sent no result.
    NotMeasured,
    /// Only base has it: a regression.
    Vanished,
    /// Head does not build: a regression.
    BuildFailed,
    /// Head breaks the contract: a regression.
    ContractFailed,
    /// Head crashes: a regression.
    Crashed,
}

impl Status {
    /// Whether it alone is a regression.
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Self::Vanished | Self::BuildFailed | Self::ContractFailed | Self::Crashed
        )
    }
}

/// What changed in an app between the revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Its own sources, or those of a package of the repository that it uses.
    Sources,
    /// Its resolved dependencies.
    Dependencies,
    /// The profile with which it is built.
    Profile,
    /// The compiler.
    Toolchain,
}

/// A dependency that changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// Name of the crate.
    pub name: String,
    /// Versions in base; empty if it is new.
    pub before: Vec<String>,
    /// Versions in head; empty if it is gone.
    pub after: Vec<String>,
}

/// One metric of one app in one variant under one scenario, on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Name of the app's folder.
    pub app: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Metric.
    pub gauge: Gauge,
    /// The decision; never `nothing_to_measure`.
    pub decision: Decision,
    /// Head ÷ base − 1, Hodges-Lehmann estimate over the pairs: 0.029 is +2.9 %. `None` if no pair was measured.
    pub change: Option<f64>,
    /// 95 % interval of the change.
    pub interval: Option<Interval>,
    /// Two-sided p-value, before it is corrected for series and looks.
    pub p: Option<f64>,
    /// Every pair that was measured, in order; all other figures of this series follow from them.
    pub pairs: Vec<Pair>,
    /// Median of base, in the metric's unit.
    pub base: Option<f64>,
    /// `base` with the change applied.
    pub head: Option<f64>,
    /// Whether the decision counts. Goodput does not where the server was not the limit.
    pub judged: bool,
    /// Why it is not judged, or inconclusive, in words.
    pub reason: Option<String>,
}

/// One pair of base and head in the metric's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// Value of base.
    pub base: f64,
    /// Value of head.
    pub head: f64,
}
