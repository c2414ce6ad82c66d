//! What `bench history` finds, as it is published: `data/<lane>/changes.json`. Here it is only read, carried and told in the
//! feed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::json;
use crate::record::{Lane, Metric};

/// Version of the document that this program reads.
pub const SCHEMA_VERSION: u32 = 1;

/// Change points of a lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// The lane.
    pub lane: Lane,
    /// Profile whose runs were looked at.
    pub profile: String,
    /// Number of runs.
    pub runs: u32,
    /// Number of series that were judged.
    pub judged: u32,
    /// Runs on one machine in a row.
    pub segments: Vec<Segment>,
    /// Runs in which something around the apps changed.
    pub marks: Vec<Mark>,
    /// Changes of one app.
    pub changes: Vec<Change>,
    /// Changes of all apps at once.
    pub common: Vec<Common>,
}

/// Runs on one machine in a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// The machine, in words.
    pub machine: String,
    /// First run on it.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// Number of runs.
    pub runs: u32,
}

/// A run before which something changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The first run with it.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// What changed.
    pub kind: MarkKind,
    /// The app of which there is a new release.
    #[serde(default)]
    pub app: Option<String>,
    /// What it was.
    pub before: Option<String>,
    /// What it is.
    pub after: Option<String>,
}

/// What changed around the apps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// The machine.
    Machine,
    /// The compiler.
    Rustc,
    /// The kernel.
    Kernel,
    /// The runner's image.
    Image,
    /// The harness.
    Harness,
    /// An app's framework.
    Release,
}

/// A change of one app.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Name of the app's folder.
    pub app: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Name of the scenario.
    pub scenario: String,
    /// What changed.
    pub metric: Metric,
    /// First run of the new level.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// Last run of the old level.
    pub previous_run: String,
    /// New ÷ old − 1, of the app's figure relative to the other apps.
    pub size: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
    /// How often chance alone does as much.
    pub p: f64,
    /// Runs of the old level.
    pub runs_before: u32,
    /// Runs of the new level.
    pub runs_after: u32,
    /// Whether it is for better or worse.
    pub verdict: ChangeVerdict,
    /// Whether a later run has confirmed it.
    pub state: State,
    /// That run.
    pub confirmed_by: Option<String>,
    /// What may be behind it.
    pub causes: Vec<Cause>,
}

/// Whether a change is for better or worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeVerdict {
    /// For worse.
    Regression,
    /// For better.
    Improvement,
    /// Neither is said of this metric.
    Change,
}

/// Whether a later run has confirmed a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It has.
    Confirmed,
    /// Not yet.
    Suspected,
}

/// What may be behind a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// What kind of thing changed.
    pub kind: CauseKind,
    /// Its name.
    pub name: String,
    /// What it was.
    pub before: Option<String>,
    /// What it is.
    pub after: Option<String>,
}

/// What kind of thing changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseKind {
    /// A crate in the lockfile.
    Dependency,
    /// The framework itself.
    Framework,
    /// The app's source.
    Source,
    /// The compiler.
    Rustc,
    /// The kernel.
    Kernel,
    /// The runner's image.
    Image,
    /// The harness.
    Harness,
    /// Something else of the machine.
    Environment,
}

/// A change of all apps at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// Name of the scenario.
    pub scenario: String,
    /// What changed.
    pub metric: Metric,
    /// First run of the new level.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// New ÷ old − 1.
    pub size: f64,
    /// What may be behind it.
    pub causes: Vec<Cause>,
}

/// Where the changes of a lane lie.
pub fn path_of(lane: Lane) -> String {
    format!("data/{}/changes.json", lane.name())
}

impl Changes {
    /// Reads the changes of a lane; the error says what is wrong in them.
    pub fn read(lane: Lane, text: &str) -> Result<Self, String> {
        let changes: Self = json::read(text, SCHEMA_VERSION)?;
        if changes.lane == lane {
            return Ok(changes);
        }
        Err(format!("it is of lane {}", changes.lane.name()))
    }

    /// Their text.
    pub fn text(&self) -> String {
        json::text(self)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A confirmed change and a suspected one, with names that mean harm.
    pub fn changes() -> Changes {
        let hostile = crate::report::sample::HOSTILE_NAME;
        let change = serde_json::json!({
            "app": "axum", "variant": "default", "scenario": "plaintext", "metric": "server_cpu_us_per_request",
            "run": "20261121T110000Z-2a", "started_at": "2026-11-21T11:00:00Z", "previous_run": "20261114T110000Z-1",
            "size": 0.12, "low": 0.08, "high": 0.16, "p": 0.0001, "runs_before": 30, "runs_after": 3,
            "verdict": "regression", "state": "confirmed", "confirmed_by": "20261128T110000Z-1",
            "causes": [{"kind": "dependency", "name": hostile, "before": "1.47.0", "after": "1.48.0"}],
        });
        let mut suspected = change.clone();
        suspected["state"] = "suspected".into();
        suspected["confirmed_by"] = serde_json::Value::Null;
        suspected["app"] = "rocket".into();
        let text = serde_json::json!({
            "schema_version": 1, "lane": "hosted-x64", "profile": "weekly", "runs": 33, "judged": 720,
            "segments": [{"machine": "AMD EPYC 7763, 4 logical cpus", "run": "20260105T000000Z-1",
                          "started_at": "2026-01-05T00:00:00Z", "runs": 33}],
            "marks": [{"run": "20260105T000000Z-1", "started_at": "2026-01-05T00:00:00Z", "kind": "release", "app": "axum",
                       "before": "0.8.8", "after": "0.8.9"}],
            "changes": [change, suspected],
            "common": [{"scenario": "plaintext", "metric": "goodput_rps", "run": "20260105T000000Z-1",
                        "started_at": "2026-01-05T00:00:00Z", "size": -0.1, "causes": []}],
        });
        Changes::read(Lane::HostedX64, &text.to_string()).unwrap()
    }

    #[test]
    fn changes_are_read_strictly() {
        let text = changes().text();
        assert_eq!(Changes::read(Lane::HostedX64, &text).unwrap(), changes());
        for (text, told) in [
            (text.replace("\"judged\"", "\"judge\""), "judge"),
            (
                text.replace("\"schema_version\":1", "\"schema_version\":2"),
                "schema version 2",
            ),
            (text.replace("confirmed\"", "certain\""), "certain"),
            (text.replace("hosted-x64", "local"), "lane local"),
        ] {
            let error = Changes::read(Lane::HostedX64, &text).unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
