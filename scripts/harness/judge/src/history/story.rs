//! The result of history: the format of `changes.json` on gh-pages, and of `bench history --format json`.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::causes::Cause;
use super::past::Kind;

/// The version of this shape that this program writes, and the newest that it reads.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that was found in the past of a lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Story {
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
    /// Machines, each from its first run on.
    pub segments: Vec<Segment>,
    /// What differs from the run before.
    pub marks: Vec<Mark>,
    /// Where the series went on on another runner, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<Joint>,
    /// Changes of one app, the newest first.
    pub changes: Vec<Change>,
    /// Changes of all apps at once, the newest first: no single app caused them.
    pub common: Vec<Common>,
    /// Each app's level now compared with a year before, the largest difference first. Small steps add up.
    pub drifts: Vec<Drift>,
}

/// p-value up to which one change alone is an alarm. Thousands of figures are judged each week, each at many places, so what is
/// rare in one of them happens somewhere.
const ALARM: f64 = 1e-6;
/// Runs for which an alarm lasts: after that it is known, and the level is the framework's normal one.
const ALARM_RUNS: usize = 8;

impl Story {
    /// Confirmed regressions that persist, are new, and are not due to chance: certain by themselves, or seen in two scenarios of one
    /// app in the same run.
    pub fn alarms(&self) -> impl Iterator<Item = &Change> {
        let news = |change: &&Change| {
            let is_regression = change.verdict == Direction::Regression && change.state == State::Confirmed;
            is_regression && change.stands && change.runs_after <= ALARM_RUNS
        };
        let is_seen_twice = move |change: &Change| {
            let other = |other: &&Change| {
                (&other.app, &other.variant, &other.run) == (&change.app, &change.variant, &change.run)
                    && other.scenario != change.scenario
            };
            self.changes.iter().filter(news).any(|change| other(&change))
        };
        let changes = self.changes.iter().filter(news);
        changes.filter(move |change| change.p <= ALARM || is_seen_twice(change))
    }

    /// The same for steps that most apps took together relative to the reference.
    pub fn shared_alarms(&self) -> impl Iterator<Item = &Common> {
        let theirs = |common: &&Common| {
            let theirs = common.theirs.as_ref()?;
            let is_news = theirs.verdict == Direction::Regression && theirs.stands && theirs.runs_after <= ALARM_RUNS;
            is_news.then_some(theirs.p)
        };
        let is_seen_twice = move |common: &Common| {
            let other = |other: &&Common| other.run == common.run && other.scenario != common.scenario;
            self.common
                .iter()
                .any(|common| other(&common) && theirs(&common).is_some())
        };
        let is_alarm = move |common: &&Common| theirs(common).is_some_and(|p| p <= ALARM || is_seen_twice(common));
        self.common.iter().filter(is_alarm)
    }
}

impl Story {
    /// What this story has and that of an earlier run did not. A change that moved by a run, or was only suspected, is new.
    #[must_use]
    pub fn without(mut self, before: &Self) -> Self {
        let is_known = |change: &Change| {
            let same = |known: &Change| {
                (&known.app, &known.variant, &known.scenario, &known.metric)
                    == (&change.app, &change.variant, &change.scenario, &change.metric)
                    && (&known.run, known.state) == (&change.run, change.state)
            };
            before.changes.iter().any(same)
        };
        self.changes.retain(|change| !is_known(change));
        let same = |one: &Common, other: &Common| {
            (&one.scenario, &one.metric, &one.run) == (&other.scenario, &other.metric, &other.run)
        };
        self.common
            .retain(|common| !before.common.iter().any(|known| same(known, common)));
        self
    }
}

/// The runs of one machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Model of the cpu, and how many.
    pub machine: String,
    /// Its first run.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// Number of its runs, which need not follow on each other.
    pub runs: usize,
}

/// A change of machine, tools or versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The first run that had it.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// Its kind.
    pub kind: MarkKind,
    /// The app, where only one is concerned.
    pub app: Option<String>,
    /// Its value before.
    pub before: String,
    /// Its value after.
    pub after: String,
}

/// Where a series goes on on another runner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// The first run on the new runner.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// The runner before; empty where it is unknown.
    pub before: String,
    /// The new runner.
    pub after: String,
    /// Pairs of runs that both runners made of the same; without any, the series begins again.
    pub pairs: usize,
    /// What these pairs say, for each metric; empty without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<Joined>,
}

/// How the figures of a metric go on on another runner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joined {
    /// Name of the metric.
    pub metric: String,
    /// Number of figures (an app under a scenario) that are joined.
    pub figures: usize,
    /// Number of figures that begin again, because no pair has them.
    pub begun_again: usize,
    /// New ÷ old − 1 of the same program, the median over the joined figures; not relative to anything.
    pub size: f64,
    /// Half the width of the 95 % interval of a joint, as a share: the median over the joined figures. A step at the joint that is not larger is no
    /// change.
    pub uncertainty: f64,
}

/// The kind of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// Another model of cpu.
    Machine,
    /// Another compiler.
    Rustc,
    /// Another kernel.
    Kernel,
    /// Another runner image.
    Image,
    /// Another harness or load generator.
    Harness,
    /// Another version of a framework.
    Release,
}

impl MarkKind {
    /// The mark for a difference of this kind, if there is one.
    pub fn from_kind(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Framework => Some(Self::Release),
            Kind::Rustc => Some(Self::Rustc),
            Kind::Harness => Some(Self::Harness),
            Kind::Kernel => Some(Self::Kernel),
            Kind::Image => Some(Self::Image),
            Kind::Machine => Some(Self::Machine),
            Kind::Dependency | Kind::Source | Kind::Column | Kind::Environment => None,
        }
    }
}

/// A change of level of one app's figure, relative to the other apps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Name of the app's folder.
    pub app: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the metric.
    pub metric: String,
    /// First run of the new level.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// Last run of the old level.
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
    /// The run that confirmed it; `None` if none has.
    pub confirmed_by: Option<String>,
    /// Whether it is the last change of this figure, so that the new level persists.
    pub stands: bool,
    /// What it is relative to, where that is one server and not the median of all: the reference, or the only other app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_to: Option<String>,
    /// What else was different, what is closest to the app first.
    pub causes: Vec<Cause>,
}

/// Which way a figure moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// It is worse.
    Regression,
    /// It is better.
    Improvement,
    /// It is not known which direction is better.
    Change,
}

/// How certain a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// At least two runs on the new level, and a test that noise hardly ever passes.
    Confirmed,
    /// Only the last run is far off; or an app and all others have diverged, and the reference does not show yet which of them changed.
    Suspected,
}

/// A step of all apps at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the metric.
    pub metric: String,
    /// First run of the new level.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// New ÷ old − 1 of the median of all apps.
    pub size: f64,
    /// The same for the reference, which never changes by itself: what it shares was caused by the machine. `None` where it was not
    /// measured.
    pub reference: Option<f64>,
    /// Details of a step that the reference did not share, so that it belongs to the apps. `None` for the machine's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theirs: Option<Theirs>,
    /// What else was different.
    pub causes: Vec<Cause>,
}

/// A confirmed step of most apps relative to the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Theirs {
    /// The apps that share it: `axum`, `axum (tuned)`.
    pub apps: Vec<String>,
    /// Lower end of the 95 % interval of the size.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// p-value of this step at this place: Student's test, two-sided.
    pub p: f64,
    /// Runs of the old level.
    pub runs_before: usize,
    /// Runs of the new level.
    pub runs_after: usize,
    /// For better or worse.
    pub verdict: Direction,
    /// Whether it is the last such step.
    pub stands: bool,
}

/// The level of an app compared with a year before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// Name of the app's folder.
    pub app: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the metric.
    pub metric: String,
    /// The first run that it is compared with.
    pub since: String,
    /// Now ÷ then − 1, relative to the other apps.
    pub size: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// For better or worse.
    pub verdict: Direction,
}
