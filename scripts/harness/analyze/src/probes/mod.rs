//! What probes say: how many cases a server fails, whose fault each is, and what changed since the time before.

mod breaks;
mod changes;
mod clients;
mod memory;

use std::collections::{BTreeMap, HashMap, HashSet};

use model::probe::{Engine, Group, Level, ProbeCase, ProbeOutcome, Probed};
use model::scenario::Protocol;
use model::{AppRecord, DEFAULT_VARIANT, PLAIN, Record};

pub use breaks::{BREAKS_VERSION, ProbedServer, ServerResult, WhatBreaks, what_breaks};
pub use changes::{ProbeChange, ProbeStory, STORY_VERSION, Standing, story};
pub use clients::{CLIENTS_VERSION, ClientServer, Clients, Moved, Notice, Setting, clients};
pub use memory::{KeptMemory, figures_of, kept_memory};

/// The results of one server.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The server.
    pub app: &'a AppRecord,
    /// Its results, each with its case.
    pub results: Vec<Judged<'a>>,
}

/// A result, and whose fault it is.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// The result.
    pub probed: &'a Probed,
    /// Its case.
    pub case: &'a ProbeCase,
    /// The engine that fails the same case without the framework: the failure is the engine's.
    pub engine: Option<&'a Engine>,
}

/// How many cases have which outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Passed or failed.
    pub made: u32,
    /// Failed, by any level.
    pub failed: u32,
    /// Of these, the ones that a source demands without exception.
    pub must: u32,
    /// Of these, the ones that are the engine's.
    pub of_engine: u32,
    /// Of these, the ones that allow smuggling.
    pub smuggles: u32,
    /// Now this, now that.
    pub flickered: u32,
}

impl Judged<'_> {
    /// Whether it failed, each time.
    pub fn failed(&self) -> bool {
        self.probed.outcome == ProbeOutcome::Failed
    }
}

impl Subject<'_> {
    /// `axum (tuned)`.
    pub fn label(&self) -> String {
        self.app.label()
    }

    /// The mandatory cases over some protocols: how many failed, and how many passed or failed.
    pub fn must(&self, over: impl Fn(Protocol) -> bool) -> (usize, usize) {
        let must = self
            .results
            .iter()
            .filter(|one| one.case.level == Level::Must && over(one.probed.protocol));
        let made: Vec<_> = must
            .filter(|one| one.failed() || one.probed.outcome == ProbeOutcome::Passed)
            .collect();
        (made.iter().filter(|one| one.failed()).count(), made.len())
    }

    /// The outcomes in a group, or in all of them.
    pub fn tally(&self, group: Option<Group>) -> Tally {
        let mut tally = Tally::default();
        let results = self.results.iter();
        for one in results.filter(|one| group.is_none_or(|group| one.case.group == group)) {
            match one.probed.outcome {
                ProbeOutcome::Passed => tally.made += 1,
                ProbeOutcome::Failed => {
                    tally.made += 1;
                    tally.failed += 1;
                    tally.must += u32::from(one.case.level == Level::Must);
                    tally.of_engine += u32::from(one.engine.is_some());
                    tally.smuggles += u32::from(one.case.smuggles);
                }
                ProbeOutcome::Flaky => tally.flickered += 1,
                ProbeOutcome::NotApplicable => {}
            }
        }
        tally
    }
}

/// The cases that can fail.
pub fn judged(probes: &Record) -> impl Iterator<Item = &ProbeCase> {
    probes.cases.iter().filter(|case| case.level != Level::Observed)
}

/// All servers that are judged with their results, in the order of the record.
pub fn subjects(probes: &Record) -> Vec<Subject<'_>> {
    subjects_of(probes, |app| app.variant != PLAIN)
}

/// The guide's own servers with what was observed of them.
pub fn observed(probes: &Record) -> Vec<Subject<'_>> {
    subjects_of(probes, |app| app.variant == PLAIN)
}

fn subjects_of<'a>(probes: &'a Record, is_wanted: fn(&AppRecord) -> bool) -> Vec<Subject<'a>> {
    let cases: HashMap<&str, &ProbeCase> = probes.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    // What is judged on the guide's own server is a result of the framework, where that is in the record.
    let defaults = probes.apps.iter().filter(|app| app.variant == DEFAULT_VARIANT);
    let defaults: HashSet<&str> = defaults.map(|app| app.id.as_str()).collect();
    let judged: HashSet<&str> = judged(probes).map(|case| case.id.as_str()).collect();
    let variant = |one: &'a Probed| -> &'a str {
        let is_its = one.variant == PLAIN && defaults.contains(one.app.as_str()) && judged.contains(one.case.as_str());
        if is_its { DEFAULT_VARIANT } else { &one.variant }
    };
    let mut results: HashMap<(&str, &str), Vec<&Probed>> = HashMap::new();
    for one in &probes.probed {
        results.entry((&one.app, variant(one))).or_default().push(one);
    }
    let failures = probes.probed.iter().filter(|one| one.outcome == ProbeOutcome::Failed);
    let failed: HashSet<(&str, &str, Protocol, &str)> = failures
        .map(|one| (one.app.as_str(), variant(one), one.protocol, one.case.as_str()))
        .collect();
    let wanted = probes.apps.iter().filter(|app| is_wanted(app));
    let subjects = wanted.map(|app| {
        let own = results.get(&(app.id.as_str(), app.variant.as_str()));
        let judged = own.into_iter().flatten().filter_map(|one| {
            let is_engines = |engine: &&Engine| {
                let key = (engine.app.as_str(), DEFAULT_VARIANT, one.protocol, one.case.as_str());
                one.outcome == ProbeOutcome::Failed && failed.contains(&key)
            };
            Some(Judged {
                probed: one,
                case: cases.get(one.case.as_str())?,
                engine: app.engine.as_ref().filter(is_engines),
            })
        });
        Subject {
            app,
            results: judged.collect(),
        }
    });
    subjects.collect()
}

/// One fault: a case that an engine fails, with the frameworks on it, or one that a framework fails by itself.
#[derive(Debug)]
pub struct Fault<'a> {
    /// The case.
    pub case: &'a ProbeCase,
    /// Whose fault it is: labels of apps, the engine first where it is one.
    pub apps: Vec<String>,
    /// The first of them.
    pub probed: &'a Probed,
}

/// Every fault once: an engine's are listed under the engine, and name who shares them. In the order of the cases.
pub fn faults(probes: &Record) -> Vec<Fault<'_>> {
    let subjects = subjects(probes);
    let (mut faults, mut shared) = (Vec::new(), BTreeMap::<_, Vec<String>>::new());
    for subject in &subjects {
        for one in subject.results.iter().filter(|one| one.failed()) {
            match one.engine {
                Some(engine) => shared
                    .entry((engine.app.as_str(), one.probed.protocol, one.case.id.as_str()))
                    .or_default()
                    .push(subject.label()),
                None => faults.push((subject, one)),
            }
        }
    }
    let faults = faults.into_iter().map(|(subject, one)| {
        let app = subject.app;
        let key = (app.id.as_str(), one.probed.protocol, one.case.id.as_str());
        let sharing = shared.get(&key).filter(|_| app.variant == DEFAULT_VARIANT);
        Fault {
            case: one.case,
            apps: std::iter::once(subject.label())
                .chain(sharing.into_iter().flatten().cloned())
                .collect(),
            probed: one.probed,
        }
    });
    let mut faults: Vec<Fault<'_>> = faults.collect();
    faults.sort_by_cached_key(|fault| probes.cases.iter().position(|case| case.id == fault.case.id));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_guides_own_server_breaks_counts_for_its_framework() {
        let mut probes = samples::probes();
        let must = |probes: &Record| {
            let subjects = subjects(probes);
            let axum = subjects.iter().find(|subject| subject.app.id == "axum").unwrap();
            axum.tally(None).must
        };
        let (before, shown) = (must(&probes), subjects(&probes).len());
        let mut failures = probes.probed.iter().filter(|one| one.outcome == ProbeOutcome::Failed);
        let mut failed = failures.next().unwrap().clone();
        (failed.app, failed.variant) = ("axum".to_owned(), PLAIN.to_owned());
        let case = ProbeCase {
            id: "streamed".to_owned(),
            level: Level::Must,
            ..probes.cases[0].clone()
        };
        failed.case = case.id.clone();
        let axum = probes.apps.iter().find(|app| app.id == "axum").unwrap();
        probes.apps.push(AppRecord {
            variant: PLAIN.to_owned(),
            ..axum.clone()
        });
        probes.cases.push(case);
        probes.probed.push(failed);
        assert_eq!((must(&probes), subjects(&probes).len()), (before + 1, shown));
        assert!(observed(&probes)[0].results.is_empty());
        probes.apps.retain(|app| app.variant == PLAIN);
        assert_eq!(
            observed(&probes)[0].results.len(),
            1,
            "where it stands alone, it is shown as what it is"
        );
    }

    #[test]
    fn a_failure_that_the_engine_has_too_is_the_engines() {
        let probes = samples::probes();
        let subjects = subjects(&probes);
        let of = |id: &str| subjects.iter().find(|subject| subject.app.id == id).unwrap();
        let tally = of("axum").tally(None);
        assert_eq!((tally.made, tally.failed, tally.must, tally.of_engine), (3, 2, 2, 1));
        assert_eq!(of("hyper").tally(None).of_engine, 0);
        assert_eq!(of("rocket").tally(Some(Group::Fields)).flickered, 1);
        let faults = faults(&probes);
        let found: Vec<_> = faults
            .iter()
            .map(|fault| (fault.case.id.as_str(), fault.apps.join(" ")))
            .collect();
        assert_eq!(
            found,
            [("host-twice", "hyper axum".to_owned()), ("exits", "axum".to_owned())]
        );
    }
}
