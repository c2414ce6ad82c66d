//! The result of a comparison, as it is written to `comparison.json`: the interface between measuring and presenting, as
//! [`Record`](model::Record) is for a run. Unknown fields are refused.
//!
//! It holds facts. What follows from the pairs is computed wherever they are read ([`Comparison::parse`]), and written only for other programs
//! ([`Comparison::analyzed`]).

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::decide;
use super::decide::Progress;
use super::explanation::Explanation;
use super::gates::Gates;
use super::probing::{Effect, Probing};
use model::{Environment, Interval, Metric, Verdict};
use stats::median;

/// The version of the comparison that this program writes, and the newest that it reads.
pub const SCHEMA_VERSION: u32 = 6;

/// Values that a metric can have: a thousand times what any server reaches, and the same below.
const VALUES: RangeInclusive<f64> = 1e-9..=1e12;

/// Two revisions, compared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// The overall decision: derived when the comparison is read, and never stored.
    #[serde(default, skip_serializing)]
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
    /// What it was measured on; `None` if nothing was measured.
    pub environment: Option<Environment>,
    /// The rules by which it was judged.
    pub gates: Gates,
    /// How many pairs were to be made; `None` for as many as needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u32>,
    /// Seed of the order of starts, slices and layouts; `None` in older documents, whose order followed from the number of the pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// Options by which it can be made again, besides what the sides say, word by word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Apps that the change touches, sorted.
    pub apps: Vec<App>,
    /// Apps that it does not touch, by id.
    pub untouched: Vec<String>,
    /// What was measured, in the order of apps, scenarios and metrics.
    pub series: Vec<Series>,
    /// What the same loads showed besides, which no gate is about: none of it is judged, nor counts among the series. None before version 6.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Series>,
    /// Where instructions went, of each app whose instructions a decision names: in the scenario that moved most, first for the worse.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explanations: Vec<Explanation>,
    /// The quick cases on both sides; `None` if nothing but instructions was measured, and before version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<Probing>,
    /// Whether the time ran out before every series was decided.
    pub budget_spent: bool,
    /// Warnings about this comparison, in words.
    pub warnings: Vec<String>,
}

impl Comparison {
    /// Reads a comparison; what follows from its pairs is computed, whatever the text says of it.
    ///
    /// # Errors
    /// If it is none, or if a series has a metric that is not compared, or a value that is not above 0.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let read: Self = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        read.possible()?;
        Ok(read.decided())
    }

    /// Fails if a series cannot be judged.
    pub fn possible(&self) -> Result<(), String> {
        for (list, judged) in [(&self.series, true), (&self.others, false)] {
            for (index, series) in list.iter().enumerate() {
                let mut values = series.pairs.iter().flat_map(|pair| [pair.base, pair.head]);
                let has_gate = self.gates.minimum_effect.contains_key(&series.metric);
                if has_gate != judged || !values.all(|value| VALUES.contains(&value)) {
                    let name = if judged { "series" } else { "others" };
                    return Err(format!("`{name}[{index}]` holds an impossible metric or value"));
                }
            }
        }
        Ok(())
    }

    /// The whole of what was measured up to `now`.
    #[must_use]
    pub fn ended(mut self, now: Timestamp) -> Self {
        self.finished_at = now;
        self.decided()
    }

    /// With everything that follows from its pairs.
    #[must_use]
    pub fn decided(mut self) -> Self {
        decide_series(&mut self.series, &self.gates, self.pairs);
        for series in &mut self.others {
            series.decision = Decision::Inconclusive;
            series.compute(&self.gates);
        }
        self.decision = self.decide();
        self
    }

    /// With what follows from it, for programs that read JSON. It is read as a comparison, too.
    pub fn analyzed(&self) -> Value {
        let mut all = json!(self);
        all["decision"] = json!(self.decision);
        for (name, list) in [("series", &self.series), ("others", &self.others)] {
            for (index, series) in list.iter().enumerate() {
                let written = &mut all[name][index];
                written["decision"] = json!(series.decision);
                written["change"] = json!(series.change);
                written["interval"] = json!(series.interval);
                written["p"] = json!(series.p);
                written["base"] = json!(series.base);
                written["head"] = json!(series.head);
            }
        }
        all
    }

    /// The overall decision: the worst of what is judged.
    fn decide(&self) -> Decision {
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

    /// Apps that could not be measured.
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Its name as given.
    pub revision: String,
    /// Its commit; for the working tree the commit that is checked out.
    pub commit: String,
    /// Whether it is the working tree and differs from that commit.
    pub dirty: bool,
    /// Crates that it takes from elsewhere, as `CRATE=SOURCE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<String>,
    /// What these sources were, in the same order; none before version 5.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<CrateSource>,
}

/// Where a side takes a crate from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrateSource {
    /// The crate's versions that it replaces.
    pub before: Vec<String>,
    /// Its own version, or several of several workspaces.
    pub after: Vec<String>,
    /// Its commit, if it is a repository.
    pub commit: Option<String>,
    /// Whether it is a checkout in which files differ from that commit.
    pub dirty: bool,
}

impl Side {
    /// A commit.
    pub fn new(revision: &str, commit: String) -> Self {
        Self {
            revision: revision.to_owned(),
            commit,
            ..Self::default()
        }
    }
}

/// The decision about a series, an app or the whole comparison, from the best to the worst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The change touches no app: nothing was measured.
    #[default]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct App {
    /// Name of the app's folder.
    pub id: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Its state.
    pub status: Status,
    /// Why, in words, where it was not measured, or not in all metrics.
    pub reason: Option<String>,
    /// What changed in it.
    pub causes: Vec<Cause>,
    /// Dependencies that changed, sorted.
    pub dependencies: Vec<Dependency>,
    /// Seeds of the orders of sections under which both sides were measured besides the linker's; in a self-test base's, then as many of
    /// head's. Comparisons older than this field have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<NonZeroU32>,
}

/// The state of an app in a comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Both sides were measured.
    #[default]
    Measured,
    /// The change makes no difference to the program: both sides are the same, byte for byte.
    SameBinary,
    /// Only head has it: there is nothing to compare it with.
    New,
    /// It could not be counted, and nothing else was wanted.
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

/// Of a head that failed.
impl From<Verdict> for Status {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::BuildFailed => Self::BuildFailed,
            Verdict::Crashed => Self::Crashed,
            _ => Self::ContractFailed,
        }
    }
}

/// What changed in an app between the revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Its own sources, or a package of the repository that it uses.
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

impl Dependency {
    /// Crates whose resolved versions differ, by the versions of each by name.
    pub fn moved(before: &BTreeMap<String, Vec<String>>, after: &BTreeMap<String, Vec<String>>) -> Vec<Self> {
        let of = |versions: &BTreeMap<_, Vec<_>>, name: &String| versions.get(name).cloned().unwrap_or_default();
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let each = names.into_iter().map(|name| Self {
            name: name.clone(),
            before: of(before, name),
            after: of(after, name),
        });
        each.filter(|dependency| dependency.before != dependency.after)
            .collect()
    }
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
    pub metric: Metric,
    /// The decision; never `nothing_to_measure`. It, the change, its interval, `p`, `base` and `head` follow from the pairs: they are derived when
    /// the comparison is read, and never stored.
    #[serde(default, skip_serializing)]
    pub decision: Decision,
    /// Head ÷ base − 1, Hodges-Lehmann estimate over the pairs, or over all values of both sides where the metric is counted: 0.029 is
    /// +2.9 %. `None` if no pair was measured.
    #[serde(default, skip_serializing)]
    pub change: Option<f64>,
    /// 95 % interval of the change.
    #[serde(default, skip_serializing)]
    pub interval: Option<Interval>,
    /// Two-sided p-value, before it is corrected for series and looks.
    #[serde(default, skip_serializing)]
    pub p: Option<f64>,
    /// Every pair that was measured, in order.
    pub pairs: Vec<Pair>,
    /// Median of base, in the metric's unit.
    #[serde(default, skip_serializing)]
    pub base: Option<f64>,
    /// `base` with the change applied.
    #[serde(default, skip_serializing)]
    pub head: Option<f64>,
    /// Whether the decision counts. Goodput does not where the server was not the limit.
    pub judged: bool,
    /// Why it is not judged, in words.
    pub reason: Option<String>,
    /// While it is measured: the shares of their cpus that generator and server used in each pair.
    #[serde(skip)]
    pub busy: Vec<(f64, f64)>,
}

impl Series {
    /// A series without pairs.
    pub fn new(app: &str, variant: &str, scenario: &str, metric: Metric) -> Self {
        Self {
            app: app.into(),
            variant: variant.into(),
            scenario: scenario.into(),
            metric,
            decision: Decision::Inconclusive,
            change: None,
            interval: None,
            p: None,
            pairs: Vec::new(),
            base: None,
            head: None,
            judged: true,
            reason: None,
            busy: Vec::new(),
        }
    }

    /// ln(head ÷ base) of each pair.
    pub fn log_ratios(&self) -> Vec<f64> {
        self.pairs.iter().map(|pair| (pair.head / pair.base).ln()).collect()
    }

    /// ln(base) and ln(head) of each pair.
    pub fn logs(&self) -> Vec<[f64; 2]> {
        self.pairs.iter().map(|pair| [pair.base.ln(), pair.head.ln()]).collect()
    }

    /// All its pairs, before any decision.
    pub fn progress(&self) -> Progress {
        Progress {
            pairs: self.logs(),
            judged: self.judged,
            ..Progress::new(self.metric)
        }
    }

    /// Whether it needs more pairs.
    pub fn is_open(&self) -> bool {
        self.judged && self.decision == Decision::Inconclusive
    }

    /// The figures of its pairs.
    fn compute(&mut self, gates: &Gates) {
        let found = self.progress().test(gates);
        let interval = found.map(|found| found.interval);
        let interval = interval.filter(|it| it.low.is_finite() && it.high.is_finite());
        self.change = found.map(|found| found.estimate.exp_m1());
        self.interval = interval.map(|it| it.map(f64::exp_m1));
        self.p = found.map(|found| found.p);
        self.base = median(&self.pairs.iter().map(|pair| pair.base).collect::<Vec<_>>());
        // Not the median of head: the machine moves both medians, and they could contradict the paired change.
        self.head = self.base.zip(found).map(|(base, found)| base * found.estimate.exp());
    }
}

/// Decides series that were measured together, from all their pairs.
pub fn decide_series(all: &mut [Series], gates: &Gates, fixed: Option<u32>) {
    let mut progress: Vec<Progress> = all.iter().map(Series::progress).collect();
    decide::replay(&mut progress, gates, fixed);
    for (series, progress) in all.iter_mut().zip(progress) {
        series.compute(gates);
        series.decision = progress.decided.unwrap_or(Decision::Inconclusive);
        series.reason.take_if(|_| series.judged);
    }
}

/// One pair of base and head in the metric's unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// Value of base.
    pub base: f64,
    /// Value of head.
    pub head: f64,
}

impl Pair {
    /// Head − base.
    pub fn difference(self) -> f64 {
        self.head - self.base
    }
}

impl From<[f64; 2]> for Pair {
    fn from([base, head]: [f64; 2]) -> Self {
        Self { base, head }
    }
}
