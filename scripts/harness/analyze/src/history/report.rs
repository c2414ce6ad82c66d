//! The result of history: the format of `changes.json` on gh-pages, and of `bench history --format json`.

use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::causes::Cause;
use super::timeline::Kind;
use model::label;

/// The version of this shape that this program writes, and the newest that it reads.
pub const SCHEMA_VERSION: u32 = 2;

/// Everything that was found in the timeline of a lane.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryReport {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Name of the lane, or of the file that the figures are from.
    pub lane: String,
    /// Name of the profile; `None` where it is unknown.
    pub profile: Option<String>,
    /// Number of runs.
    pub runs: usize,
    /// Number of figures that were followed: an app, a scenario, a metric.
    pub judged: usize,
    /// Machines, each from its first run on a runner on. Another runner begins every figure again.
    pub segments: Vec<Segment>,
    /// What differs from the run before.
    pub marks: Vec<Mark>,
    /// What is no longer measured and what is new, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineups: Vec<Lineup>,
    /// Changes of one app, the newest first.
    pub changes: Vec<Change>,
    /// Changes of all apps at once, the newest first: no single app caused them.
    pub common: Vec<Change>,
    /// Each app's level now compared with a year before, the largest difference first. Small steps add up.
    pub drifts: Vec<Change>,
}

/// p-value up to which one change alone is an alarm. Thousands of figures are judged each week, each at many places, so what is
/// rare in one of them happens somewhere.
const ALARM: f64 = 1e-6;
/// Runs for which an alarm lasts: after that it is known, and the level is the framework's normal one.
pub const ALARM_RUNS: usize = 8;

impl HistoryReport {
    /// Confirmed regressions, of one app or of most of them against the reference, that persist, are new, and are not due to chance:
    /// certain by themselves, or seen in two scenarios in the same run.
    pub fn alarms(&self) -> impl Iterator<Item = &Change> {
        let all = || {
            self.changes
                .iter()
                .chain(&self.common)
                .filter(|change| change.is_news())
        };
        let is_seen_twice = move |change: &Change| {
            let other = |other: &&Change| {
                (&other.app, &other.variant, &other.run) == (&change.app, &change.variant, &change.run)
                    && other.scenario != change.scenario
            };
            all().any(|change| other(&change))
        };
        all().filter(move |change| change.p <= ALARM || is_seen_twice(change))
    }

    /// What this report has and the one of an earlier run did not: a change that was not confirmed then, or has ended since, and who came or
    /// went.
    #[must_use]
    pub fn without(mut self, before: &Self) -> Self {
        let key = |change: &Change| {
            let change = change.clone();
            let figure = (change.app, change.variant, change.scenario, change.metric);
            // Its date may be refined, the run that confirmed it not.
            let since = change.confirmed_by.unwrap_or(change.run);
            (
                figure,
                since,
                change.size > 0.0,
                change.state,
                change.ended.map(|end| end.by),
            )
        };
        for (changes, before) in [(&mut self.changes, &before.changes), (&mut self.common, &before.common)] {
            let known: BTreeSet<_> = before.iter().map(key).collect();
            changes.retain(|change| !known.contains(&key(change)));
        }
        let known: BTreeSet<&str> = before.lineups.iter().map(|lineup| &*lineup.run).collect();
        self.lineups.retain(|lineup| !known.contains(&*lineup.run));
        self
    }
}

/// The runs of one machine on one runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Model of the cpu, and how many.
    pub machine: String,
    /// What the lane requested: its labels and its system. Empty where it is unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub runner: String,
    /// Its first run.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// Number of its runs, which need not follow on each other.
    pub runs: usize,
}

/// A run that lacks what was measured before, in all later runs too, or has what was not. A figure is followed by its names, so what was
/// renamed is both, and a step from the old name to the new one is in no change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lineup {
    /// The run.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// Number of runs since, this one included.
    pub runs_after: usize,
    /// Apps that are gone, as in `axum (tuned)`.
    pub gone: Vec<String>,
    /// Those that are new.
    pub new: Vec<String>,
}

/// A change of machine, tools or versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The first run that had it.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// What changed: the framework of one app, or what all share.
    pub kind: Kind,
    /// The app, where only one is concerned.
    pub app: Option<String>,
    /// Its value before.
    pub before: String,
    /// Its value after.
    pub after: String,
}

/// A change of level: of one app's figure relative to the other apps, of all apps at once, or of an app within a year.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Name of the app's folder; empty for a change of all apps at once.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub app: String,
    /// `default` or the variant's name; empty for a change of all apps at once.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the metric.
    pub metric: String,
    /// First run of the new level.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// Last run of the old level; of a drift, the first run of the year.
    pub previous_run: String,
    /// New ÷ old − 1.
    pub size: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// p-value of this change at this place: Student's test, two-sided. 1 for a suspicion.
    pub p: f64,
    /// Runs of the old level.
    pub runs_before: usize,
    /// Runs of the new level.
    pub runs_after: usize,
    /// For better or worse.
    pub verdict: Direction,
    /// How certain it is.
    pub state: State,
    /// The run after which it was confirmed for the first time; `None` if it is not.
    pub confirmed_by: Option<String>,
    /// How its level ended; `None` where it lasts. What was confirmed is never withdrawn by a later run: it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<End>,
    /// What it is relative to, where that is one server and not the median of all: the reference, or the only other app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_to: Option<String>,
    /// Of a step of all apps at once: the same for the reference, which never changes by itself, so that the machine caused what it
    /// shares. `None` where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<f64>,
    /// Of a step of most apps that the reference did not share: the apps that did, as in `axum (tuned)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_by: Option<Vec<String>>,
    /// What else was different, what is closest to the app first.
    pub causes: Vec<Cause>,
}

impl Change {
    fn is_news(&self) -> bool {
        let is_regression = self.verdict == Direction::Regression && self.state == State::Confirmed;
        is_regression && self.ended.is_none() && self.runs_after <= ALARM_RUNS
    }

    /// The apps that changed, as in `axum (tuned)`; none for a step of the machine.
    pub fn apps(&self) -> Vec<String> {
        match &self.shared_by {
            Some(apps) => apps.clone(),
            None if self.app.is_empty() => Vec::new(),
            None => vec![label(&self.app, &self.variant)],
        }
    }
}

/// The end of a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// The first run that no longer has it.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// What ended it.
    pub by: Ending,
    /// What else was different then, where another change ended it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
}

/// What ends a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Another change of the figure, back or further on.
    Change,
    /// With later runs, the change is no longer found, or is not this app's.
    Doubt,
    /// Nothing more was measured on its runner.
    Runner,
}

/// Which way a figure moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// It is worse.
    Regression,
    /// It is better.
    Improvement,
    /// It is not known which direction is better, or no app caused it.
    #[default]
    Change,
}

/// How certain a change is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// At least two runs on the new level, and a test that noise hardly ever passes.
    #[default]
    Confirmed,
    /// Only the last run is far off; or an app and all others have diverged, and the reference does not show yet which of them changed.
    Suspected,
}
