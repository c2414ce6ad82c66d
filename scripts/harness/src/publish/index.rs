//! The index: which runs are published, small enough to be read by a page before it knows which record it wants.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::{Lane, Record, Verdict};

/// Where the index lies.
pub const INDEX: &str = "data/index.json";
/// Version of the index that this program writes, and the newest that it reads.
pub const SCHEMA_VERSION: u32 = 1;
/// Most runs of one lane: two hundred years of weekly ones.
const MOST_RUNS: usize = 10_000;

/// All published runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// The runs of each lane, the oldest first. A lane without a run is not there.
    pub lanes: BTreeMap<Lane, Vec<Run>>,
}

/// One published run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Its id.
    pub id: String,
    /// When its first trial began, UTC.
    pub started_at: Timestamp,
    /// Name of its profile.
    pub profile: String,
    /// Commit that it was made from, if it was a git checkout.
    pub commit: Option<String>,
    /// Where its record lies, from the root of the site.
    pub path: String,
    /// Rounds that were made.
    pub rounds: u32,
    /// Number of apps, each variant counted.
    pub apps: u32,
    /// How many cells (an app under a scenario) have which verdict.
    pub verdicts: BTreeMap<Verdict, u32>,
    /// What it was made on.
    pub machine: Machine,
}

/// What a run was made on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Model name of the cpu.
    pub cpu_model: String,
    /// Logical cpus that the run could use.
    pub logical_cpus: u32,
}

/// Where the record of a run lies.
pub fn path_of(lane: Lane, id: &str) -> String {
    format!("data/{}/{id}.json", lane.name())
}

impl Run {
    /// The line of a record.
    pub fn of(record: &Record) -> Self {
        let mut verdicts = BTreeMap::new();
        for cell in &record.summary {
            *verdicts.entry(cell.verdict).or_insert(0) += 1;
        }
        Self {
            id: record.id.clone(),
            started_at: record.started_at,
            profile: record.profile.clone(),
            commit: record.harness.commit.clone(),
            path: path_of(record.lane, &record.id),
            rounds: record.trials.iter().map(|trial| trial.round).max().unwrap_or(0),
            apps: u32::try_from(record.apps.len()).unwrap_or(u32::MAX),
            verdicts,
            machine: Machine {
                cpu_model: record.environment.cpu_model.clone(),
                logical_cpus: record.environment.logical_cpus,
            },
        }
    }

    fn order(&self) -> (Timestamp, &str) {
        (self.started_at, &self.id)
    }
}

impl Index {
    /// The index of a branch without a run.
    pub fn empty() -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            lanes: BTreeMap::new(),
        }
    }

    /// Reads its text; the error says what is wrong in it.
    pub fn read(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match value.get("schema_version").and_then(Value::as_u64) {
            Some(version) if version == u64::from(SCHEMA_VERSION) => {}
            Some(version) => {
                return Err(format!(
                    "it has schema version {version}, and this program reads version {SCHEMA_VERSION}; use the bench that \
                     wrote it"
                ));
            }
            None => return Err("it has no `schema_version`".into()),
        }
        let index: Self = serde_json::from_value(value).map_err(|error| error.to_string())?;
        for (lane, runs) in &index.lanes {
            let name = lane.name();
            if runs.len() > MOST_RUNS {
                return Err(format!("lane {name} has more than {MOST_RUNS} runs"));
            }
            if !runs.is_sorted_by(|one, other| one.order() < other.order()) {
                return Err(format!(
                    "the runs of lane {name} are not in order, or one stands there twice"
                ));
            }
            if let Some(run) = runs.iter().find(|run| run.path != path_of(*lane, &run.id)) {
                return Err(format!("run {} of lane {name} has the path {}", run.id, run.path));
            }
        }
        Ok(index)
    }

    /// Its text.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("it has no key that JSON lacks");
        text.push('\n');
        text
    }

    /// Adds a run at its place, unless it is there. Whether another one of its id is there is the record's affair.
    pub fn add(&mut self, lane: Lane, run: Run) {
        let runs = self.lanes.entry(lane).or_default();
        if let Err(place) = runs.binary_search_by(|there| there.order().cmp(&run.order())) {
            runs.insert(place, run);
        }
    }

    /// Every run with its lane.
    pub fn runs(&self) -> impl Iterator<Item = (Lane, &Run)> {
        self.lanes
            .iter()
            .flat_map(|(lane, runs)| runs.iter().map(move |run| (*lane, run)))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::sample;

    /// Three runs in two lanes.
    pub fn index() -> Index {
        let mut index = Index::empty();
        let mut record = sample::record();
        index.add(record.lane, Run::of(&record));
        record.id = "20261114T110000Z-1".into();
        record.started_at = "2026-11-14T11:00:00Z".parse().unwrap();
        index.add(record.lane, Run::of(&record));
        record.lane = Lane::SelfHosted;
        record.harness.commit = None;
        record.environment.cpu_model = sample::HOSTILE_NAME.into();
        index.add(record.lane, Run::of(&record));
        index
    }

    #[test]
    fn runs_stand_in_their_order_each_once() {
        let mut index = index();
        let ids: Vec<&str> = index.runs().map(|(_, run)| run.id.as_str()).collect();
        assert_eq!(ids, ["20261114T110000Z-1", "20261121T110000Z-2a", "20261114T110000Z-1"]);
        let before = index.clone();
        let record = sample::record();
        index.add(record.lane, Run::of(&record));
        assert_eq!(index, before);
        assert_eq!(Index::read(&index.text()).unwrap(), index);
    }

    #[test]
    fn the_index_is_small_and_plain() {
        insta::assert_snapshot!(index().text());
    }

    #[test]
    fn what_is_no_index_is_refused_with_its_reason() {
        let text = index().text();
        let swapped = text
            .replacen("20261114T110000Z-1", "X", 2)
            .replacen("20261121T110000Z-2a", "20261114T110000Z-1", 2)
            .replacen('X', "20261121T110000Z-2a", 2)
            .replacen("2026-11-14", "2026-11-22", 1);
        let cases = [
            (text[..text.len() / 2].to_owned(), "EOF"),
            ("[]".to_owned(), "schema_version"),
            (
                text.replace("\"schema_version\": 1", "\"schema_version\": 2"),
                "schema version 2",
            ),
            (text.replace("\"rounds\"", "\"round\""), "round"),
            (
                text.replacen("data/hosted-x64/", "data/../", 1),
                "has the path data/../",
            ),
            (text.replace("\"valid\"", "\"splendid\""), "splendid"),
            (text.replace("self-hosted\":", "somewhere\":"), "somewhere"),
            (swapped, "not in order"),
        ];
        for (text, told) in cases {
            let error = Index::read(&text).unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
