//! The past of a lane: its runs in order, and every figure of every app in each of them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use record::Metric;
use record::SubjectId;

/// Runs of one lane and profile, with their figures.
#[derive(Debug, Clone, Default)]
pub struct Past {
    /// Name of the lane, or of the file that the figures are from.
    pub lane: String,
    /// Name of the profile; `None` where it is unknown.
    pub profile: Option<String>,
    /// The runs, the oldest first.
    pub runs: Vec<Run>,
    /// What was measured in them.
    pub series: Vec<Series>,
}

impl Past {
    /// The past as it was after its first `runs` runs.
    #[must_use]
    pub fn until(&self, runs: usize) -> Self {
        let mut past = self.clone();
        past.runs.truncate(runs);
        for series in &mut past.series {
            series.reference.truncate(runs);
            series.rows.values_mut().for_each(|row| row.truncate(runs));
        }
        past
    }
}

/// One run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its id.
    pub id: String,
    /// When it began, UTC.
    pub at: Timestamp,
    /// The machine; the same text means the same machine.
    pub machine: String,
    /// The runner that the lane asked for; the same text means the same runner. Empty where it is unknown.
    pub runner: String,
    /// Commit that it was made from.
    pub commit: Option<String>,
    /// Facts that all apps shared.
    pub surroundings: Facts,
    /// What each app was built from.
    pub builds: BTreeMap<SubjectId, Facts>,
}

/// Facts about a run: a difference between two runs may explain a difference of their figures.
pub type Facts = BTreeMap<Fact, String>;

/// Something that has a value in each run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// Its kind.
    pub kind: Kind,
    /// Its name: a crate, a program, a column.
    pub name: String,
}

/// What may change a figure. Causes are listed in this order: what is closest to the app first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The framework's own version.
    Framework,
    /// A crate that the app depends on.
    Dependency,
    /// The app's own sources.
    Source,
    /// A column of a CSV file.
    Column,
    /// The compiler.
    Rustc,
    /// The harness or the load generator.
    Harness,
    /// The kernel.
    Kernel,
    /// The runner's image.
    Image,
    /// The model of the cpu.
    Machine,
    /// Nothing known.
    Environment,
}

/// One metric of one scenario.
#[derive(Debug, Clone)]
pub struct Series {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the metric.
    pub metric: String,
    /// Whether more is better; `None` where it is unknown.
    pub more_is_better: Option<bool>,
    /// The figure of each framework in each run, greater than 0; `None` where there is no trusted one.
    pub rows: BTreeMap<SubjectId, Vec<Option<f64>>>,
    /// The same for the reference.
    pub reference: Vec<Option<f64>>,
}

impl Series {
    /// Whether its figures are counts and not times: counts repeat far better and hardly depend on the machine.
    pub fn is_counted(&self) -> bool {
        self.metric == Metric::InstructionsPerRequest.id()
    }

    /// A series without any figure.
    pub fn empty(scenario: &str, metric: &str, more_is_better: Option<bool>, runs: usize) -> Self {
        Self {
            scenario: scenario.to_owned(),
            metric: metric.to_owned(),
            more_is_better,
            rows: BTreeMap::new(),
            reference: vec![None; runs],
        }
    }
}
