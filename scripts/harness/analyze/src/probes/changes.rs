//! When a case began or ceased to fail, and what was different then. No statistics are needed: a failure was confirmed on three servers.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use model::probe::{Group, Level, ProbeCase, ProbeOutcome};
use model::scenario::Protocol;
use model::{Record, SubjectId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{judged, subjects};
use crate::history::{Cause, Kind, Lockfiles, Timeline};

/// Version of the document that this program writes and reads.
pub const STORY_VERSION: u32 = 1;
/// Most changes that are kept, the newest.
const MOST_CHANGES: usize = 500;

/// All times that probes were made: what each server failed, and what changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeStory {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Each time, the oldest first.
    pub runs: Vec<Standing>,
    /// Cases that began or ceased to fail, the newest first.
    pub changes: Vec<ProbeChange>,
}

/// How many cases each server failed at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// Id of the record.
    pub id: String,
    /// When it began.
    pub started_at: Timestamp,
    /// Number of cases.
    pub cases: u32,
    /// MUST cases that each server failed, by its label.
    pub failed: BTreeMap<String, u32>,
}

/// A case that began or ceased to fail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeChange {
    /// Id of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// Protocol that it spoke.
    pub protocol: Protocol,
    /// Id of the case.
    pub case: String,
    /// What the case is about.
    pub group: Group,
    /// How binding its demand is.
    pub level: Level,
    /// Whether it fails now.
    pub fails: bool,
    /// What it does now.
    pub got: String,
    /// The first record that shows it.
    pub run: String,
    /// When that began.
    pub started_at: Timestamp,
    /// What else was different then.
    pub causes: Vec<Cause>,
}

type Key = (String, String, Protocol, String);

/// What changed over these records, in any order.
pub fn story(probes: &[Record], lockfiles: &dyn Lockfiles) -> ProbeStory {
    let mut order: Vec<&Record> = probes.iter().collect();
    order.sort_by_key(|one| (one.started_at, &one.id));
    let timeline = Timeline::from_records(probes);
    // The last time that it was certain, and what it was.
    let mut last: BTreeMap<Key, (usize, bool)> = BTreeMap::new();
    let mut changes = Vec::new();
    for (now, record) in order.iter().enumerate() {
        let known: HashMap<&str, &ProbeCase> = record.cases.iter().map(|case| (case.id.as_str(), case)).collect();
        for one in &record.probed {
            let fails = match one.outcome {
                ProbeOutcome::Passed => false,
                ProbeOutcome::Failed => true,
                ProbeOutcome::Flaky | ProbeOutcome::NotApplicable => continue,
            };
            let key = (one.app.clone(), one.variant.clone(), one.protocol, one.case.clone());
            let Some((before, failed)) = last.insert(key, (now, fails)) else {
                continue;
            };
            let Some(case) = known.get(one.case.as_str()).filter(|_| failed != fails) else {
                continue;
            };
            let subject = &SubjectId::new(&one.app, &one.variant);
            let mut causes = timeline.causes(subject, (before, now), &[], lockfiles);
            if order[before].case(&one.case) != Some(*case) {
                causes.insert(0, of_the_case(&record.id));
            }
            changes.push(ProbeChange {
                app: one.app.clone(),
                variant: one.variant.clone(),
                protocol: one.protocol,
                case: one.case.clone(),
                group: case.group,
                level: case.level,
                fails,
                got: one.got.clone(),
                run: record.id.clone(),
                started_at: record.started_at,
                causes,
            });
        }
    }
    changes.reverse();
    changes.truncate(MOST_CHANGES);
    ProbeStory {
        schema_version: STORY_VERSION,
        runs: order.iter().map(|one| standing(one)).collect(),
        changes,
    }
}

fn standing(probes: &Record) -> Standing {
    let failed = subjects(probes)
        .into_iter()
        .filter(|subject| subject.app.not_probed.is_none());
    Standing {
        id: probes.id.clone(),
        started_at: probes.started_at,
        cases: judged(probes).count().try_into().unwrap_or(u32::MAX),
        failed: failed
            .map(|subject| (subject.label(), subject.tally(None).must))
            .collect(),
    }
}

/// The text of the case is another, so that the server need not be.
fn of_the_case(run: &str) -> Cause {
    Cause {
        kind: Kind::Harness,
        name: "the case".to_owned(),
        before: String::new(),
        after: String::new(),
        run: run.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::NoLockfiles;

    #[test]
    fn a_case_that_begins_or_ceases_to_fail_is_listed_with_what_moved() {
        let first = samples::probes();
        let mut second = first.clone();
        second.id = "20261128T110000Z-1".into();
        second.started_at = "2026-11-28T11:00:00Z".parse().unwrap();
        let at = |probes: &Record, app: &str, case: &str| {
            let is_it = |one: &model::probe::Probed| one.app == app && one.case == case;
            probes.probed.iter().position(is_it).unwrap()
        };
        let place = at(&second, "axum", "exits");
        second.probed[place].outcome = ProbeOutcome::Passed;
        let place = at(&second, "rocket", "exits");
        second.probed[place].outcome = ProbeOutcome::Failed;
        let app = second.apps.iter_mut().find(|one| one.id == "axum").unwrap();
        app.framework_version = "0.9.0".into();
        let story = story(&[second.clone(), first.clone()], &NoLockfiles);
        let changes: Vec<_> = story
            .changes
            .iter()
            .map(|change| (change.app.as_str(), change.fails))
            .collect();
        assert_eq!(changes, [("rocket", true), ("axum", false)]);
        let cause = &story.changes[1].causes[0];
        assert_eq!((cause.kind, cause.after.as_str()), (Kind::Framework, "0.9.0"));
        assert_eq!(story.runs.last().unwrap().id, second.id);
        let mut other_case = second.clone();
        other_case
            .cases
            .iter_mut()
            .for_each(|case| case.demand.push_str(" Or else."));
        let reworded = super::story(&[first.clone(), other_case], &NoLockfiles);
        assert_eq!(reworded.changes[0].causes[0].name, "the case");
        // What flickers is not certain, and begins nothing.
        let place = at(&second, "rocket", "exits");
        second.probed[place].outcome = ProbeOutcome::Flaky;
        assert_eq!(super::story(&[first, second], &NoLockfiles).changes.len(), 1);
    }
}
