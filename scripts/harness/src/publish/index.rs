//! The index: which lanes are published, their newest runs and their periods. It stays small however many runs there are.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::json;
use super::period::{Month, Year, finished};
use super::run::Run;
use crate::record::Lane;

/// Where the index lies.
pub const INDEX: &str = "data/index.json";
/// Version of the index that this program writes and reads. Version 1 named every run.
pub const SCHEMA_VERSION: u32 = 2;

/// All published lanes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// The lanes that have a run.
    pub lanes: BTreeMap<Lane, LaneIndex>,
}

/// What is published of a lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaneIndex {
    /// Number of runs.
    pub runs: u32,
    /// The last run by the time at which it began.
    pub newest: Run,
    /// Months that have a run.
    pub months: BTreeSet<Month>,
    /// Years that are finished.
    pub years: BTreeSet<Year>,
}

/// Where the record of a run lies.
pub fn path_of(lane: Lane, id: &str) -> String {
    format!("data/{}/{id}.json", lane.name())
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
        let index: Self = json::read(text, SCHEMA_VERSION)?;
        for (lane, published) in &index.lanes {
            let name = lane.name();
            let months = &published.months;
            if Month::of(&published.newest.id).is_none_or(|month| !months.contains(&month)) {
                return Err(format!("the newest run of lane {name} is of none of its months"));
            }
            if published.years != finished(months) {
                return Err(format!("the years of lane {name} are not those that its months finish"));
            }
            if (published.runs as usize) < months.len() {
                return Err(format!("lane {name} has fewer runs than months"));
            }
        }
        Ok(index)
    }

    /// Its text.
    pub fn text(&self) -> String {
        json::text(self)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::sample;

    /// Two lanes, one with a finished year.
    pub fn index() -> Index {
        let record = sample::record();
        let mut hostile = Run::of(&record);
        hostile.commit = None;
        hostile.machine.cpu_model = sample::HOSTILE_NAME.into();
        let months = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let of = |runs, newest, names: &[&str]| {
            let months = months(names);
            let years = finished(&months);
            LaneIndex {
                runs,
                newest,
                months,
                years,
            }
        };
        Index {
            lanes: BTreeMap::from([
                (Lane::HostedX64, of(3, Run::of(&record), &["2025-12", "2026-11"])),
                (Lane::SelfHosted, of(1, hostile, &["2026-11"])),
            ]),
            ..Index::empty()
        }
    }

    #[test]
    fn the_index_is_small_and_plain() {
        let text = index().text();
        assert_eq!(Index::read(&text).unwrap(), index());
        insta::assert_snapshot!(text);
    }

    #[test]
    fn what_is_no_index_is_refused_with_its_reason() {
        let text = index().text();
        let cases = [
            (text[..text.len() / 2].to_owned(), "EOF"),
            ("[]".to_owned(), "schema_version"),
            (
                text.replace("\"schema_version\":2", "\"schema_version\":1"),
                "schema version 1",
            ),
            (
                text.replace("\"schema_version\":2", "\"schema_version\":3"),
                "use the newer bench",
            ),
            (text.replace("\"rounds\"", "\"round\""), "round"),
            (text.replace("\"valid\"", "\"splendid\""), "splendid"),
            (text.replace("self-hosted\":", "somewhere\":"), "somewhere"),
            (text.replace("2025-12", "2025-13"), "no month"),
            (text.replace("\"2025\"", "\"2024\""), "the years of lane hosted-x64"),
            (text.replacen("2026-11\"", "2026-10\"", 1), "of none of its months"),
            (text.replacen("\"runs\":3", "\"runs\":1", 1), "fewer runs than months"),
        ];
        for (text, told) in cases {
            let error = Index::read(&text).unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
