//! All figures of one scenario of a series, as matrices: a row for each subject, a place in it for each run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use model::{Lane, Metric, Verdict};

/// A row for each subject, in it a place for each run; none at all where nothing is known.
pub type Rows<T> = Vec<Vec<Option<T>>>;

/// The figures of one scenario.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Figures {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Lane that the runs were made in.
    pub lane: Lane,
    /// Profile of the runs.
    pub profile: String,
    /// Name of the scenario.
    pub scenario: String,
    /// The runs that measured it, the oldest first.
    pub runs: Vec<String>,
    /// What was measured, sorted.
    pub subjects: Vec<String>,
    /// The verdict on each measurement.
    pub verdicts: Rows<Verdict>,
    /// The reasons of the verdicts.
    pub reasons: Rows<String>,
    /// The figures. A metric of which nothing is known is not there.
    pub metrics: BTreeMap<Metric, Matrix>,
}

/// The figures of one metric. What is known of no measurement is not written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Matrix {
    /// Median over the trials.
    pub median: Rows<f64>,
    /// Lower end of the median's 95 % interval.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub low: Rows<f64>,
    /// Upper end of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub high: Rows<f64>,
    /// Ratio to the reference, paired within the rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratio: Rows<f64>,
    /// Lower end of the ratio's 95 % interval.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratio_low: Rows<f64>,
    /// Upper end of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratio_high: Rows<f64>,
    /// A server's own work, of `server_cpu_us_per_request` only: where it lies between the smallest possible server, 0, and Rocket 0.5.2, 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_work: Rows<f64>,
    /// How far from it, either way, another cpu finds it with 95 %.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_work_margin: Rows<f64>,
    /// Most sessions that a ratio of a run is the mean of; nothing for one whose intervals cover that run only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<Option<u32>>,
    /// On how many days, at least twelve hours apart, they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<Option<u32>>,
    /// The best place that the differences of the run leave to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rank_best: Rows<u32>,
    /// The worst.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rank_worst: Rows<u32>,
    /// Subjects of its kind that were found better although their ranges of places overlap, as places in `subjects`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behind: Rows<Vec<u32>>,
    /// Of each subject, half the width of the 95 % interval of the logarithm of its ratio to each subject before it, in their order: the
    /// ratio itself is the quotient of both `ratio`s. Only of one run by itself, and of the metric that the scenario is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pair_half_widths: Rows<Vec<Option<f64>>>,
    /// Of each subject, a mark for each subject before it, in their order, as `bench report --pair` has it: `<` or `>` where it was shown to
    /// have the lower or the higher figure, `=` where no difference can be shown, `.` where the two were not compared. What is said of two
    /// subjects holds for all scenarios of the run together with 95 %.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pair_verdicts: Vec<String>,
    /// Ratio to the subject's own figure in the scenario that this one varies, paired within the rounds. Only of another protocol in one run
    /// by itself, and of `server_cpu_us_per_request`, where both figures are trusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to_plain: Rows<f64>,
    /// Lower end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to_plain_low: Rows<f64>,
    /// Upper end of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to_plain_high: Rows<f64>,
    /// 1 if the verdict leaves the figure standing, else 0.
    pub trusted: Rows<u8>,
    /// Trials behind it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Rows<u32>,
}

/// A matrix, unless it is unknown everywhere.
pub fn known<T>(rows: Rows<T>) -> Rows<T> {
    if rows.iter().flatten().all(Option::is_none) {
        return Vec::new();
    }
    rows
}
