//! The index: which lanes are published, their newest runs and their periods. Its size does not grow with the number of runs.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::json;
use super::period::{Month, Year, finished};
use super::run::Run;
use record::Lane;

/// The path of the index.
pub const INDEX: &str = "data/index.json";
/// Version of the index that this program writes and reads. Version 1 named every run.
pub const SCHEMA_VERSION: u32 = 2;

/// All published lanes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// The lanes that have a run.
    pub lanes: BTreeMap<Lane, LaneIndex>,
}

/// The published files of a lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaneIndex {
    /// Profile of the principal series, to which runs, months, years, badges and `changes.json` belong.
    pub profile: String,
    /// Number of its runs, all of them whole; 0 where the lane has only partial ones.
    pub runs: u32,
    /// The run that began last; the last partial one where there are only those.
    pub newest: Run,
    /// Months with a run.
    pub months: BTreeSet<Month>,
    /// Years that are finished.
    pub years: BTreeSet<Year>,
    /// Series of other profiles.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub others: BTreeMap<String, KindIndex>,
    /// Runs that are in no series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Partial>,
}

/// The published files of another series than the principal one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KindIndex {
    /// Number of its runs.
    pub runs: u32,
    /// The run that began last.
    pub newest: Run,
    /// Months with a run.
    pub months: BTreeSet<Month>,
    /// Years that are finished.
    pub years: BTreeSet<Year>,
}

/// Partial runs: with fewer apps, scenarios or rounds than their profile, or with other settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    /// Number of them.
    pub runs: u32,
    /// The newest of them, the newest first.
    pub newest: Vec<Run>,
}

impl Partial {
    /// Counts these runs and names the newest, at most `most`; `None` if there is none.
    pub fn from_runs(mut runs: Vec<Run>, most: usize) -> Option<Self> {
        runs.sort_by(|one, other| other.order().cmp(&one.order()));
        let count = u32::try_from(runs.len()).unwrap_or(u32::MAX);
        runs.truncate(most);
        (count > 0).then_some(Self {
            runs: count,
            newest: runs,
        })
    }
}

impl LaneIndex {
    /// A lane with this principal series, others and partial runs; `None` if it has no run at all.
    pub fn new(
        principal: Option<(String, KindIndex)>,
        others: BTreeMap<String, KindIndex>,
        partial: Option<Partial>,
    ) -> Option<Self> {
        let of_partial = || {
            let newest = partial.as_ref()?.newest.first()?.clone();
            let none = KindIndex {
                runs: 0,
                newest,
                months: BTreeSet::new(),
                years: BTreeSet::new(),
            };
            Some((none.newest.profile.clone(), none))
        };
        let (profile, of) = principal.or_else(of_partial)?;
        Some(Self {
            profile,
            runs: of.runs,
            newest: of.newest,
            months: of.months,
            years: of.years,
            others,
            partial,
        })
    }

    /// Number of records, including those of partial runs.
    pub fn records(&self) -> usize {
        let others = self.others.values().map(|kind| kind.runs);
        let partial = self.partial.iter().map(|partial| partial.runs);
        [self.runs]
            .into_iter()
            .chain(others)
            .chain(partial)
            .map(|runs| runs as usize)
            .sum()
    }
}

/// The path of a run's record.
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
            let principal = (published.runs, &published.newest, &published.months, &published.years);
            let others = published.others.values();
            let others = others.map(|kind| (kind.runs, &kind.newest, &kind.months, &kind.years));
            for (runs, newest, months, years) in [principal].into_iter().chain(others) {
                if runs > 0 && Month::from_run_id(&newest.id).is_none_or(|month| !months.contains(&month)) {
                    return Err(format!("the newest run of lane {name} is in none of its months"));
                }
                if *years != finished(months) {
                    return Err(format!("the years of lane {name} are not those that its months finish"));
                }
                if (runs as usize) < months.len() {
                    return Err(format!("lane {name} has fewer runs than months"));
                }
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
    use judge::sample;

    /// Two lanes, one with a finished year.
    pub fn index() -> Index {
        let record = sample::record();
        let mut hostile = Run::from_record(&record);
        hostile.commit = None;
        hostile.machine.cpu_model = sample::HOSTILE_NAME.into();
        let months = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let of = |runs, newest, names: &[&str]| {
            let months = months(names);
            let years = finished(&months);
            LaneIndex {
                profile: "weekly".to_owned(),
                runs,
                newest,
                months,
                years,
                others: BTreeMap::new(),
                partial: None,
            }
        };
        Index {
            lanes: BTreeMap::from([
                (
                    Lane::HostedX64,
                    of(3, Run::from_record(&record), &["2025-12", "2026-11"]),
                ),
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
            (text.replacen("2026-11\"", "2026-10\"", 1), "in none of its months"),
            (text.replacen("\"runs\":3", "\"runs\":1", 1), "fewer runs than months"),
        ];
        for (text, told) in cases {
            let error = Index::read(&text).unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
