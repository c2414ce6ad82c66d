//! What else was different when a figure changed.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::past::{Facts, Kind, Past, Run};
use crate::compare::outcome::Dependency;
use record::SubjectId;

/// Name of the fact that all dependencies of an app together are.
pub const LOCKFILE: &str = "Cargo.lock";
/// Dependencies of one app that are named; a bump of a workspace can move hundreds.
const MOST_DEPENDENCIES: usize = 20;
/// Characters of a hash that are told.
const HASH: usize = 12;

/// Something that was different before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// What kind of thing.
    pub kind: Kind,
    /// Which one.
    pub name: String,
    /// What it was; empty if it was not there.
    pub before: String,
    /// What it is; empty if it is gone.
    pub after: String,
    /// The run that had it first.
    pub run: String,
}

/// The lockfiles of old commits.
pub trait Lockfiles: std::fmt::Debug {
    /// What moved for an app from one commit to another; `None` if that cannot be known.
    fn moved(&self, before: &str, after: &str, app: &str) -> Option<Vec<Dependency>>;
}

/// Where there is no repository to ask.
#[derive(Debug, Default)]
pub struct NoLockfiles;

impl Lockfiles for NoLockfiles {
    fn moved(&self, _: &str, _: &str, _: &str) -> Option<Vec<Dependency>> {
        None
    }
}

/// The place of a change: two runs of an app next to each other.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// Who changed.
    pub subject: &'a SubjectId,
    /// The last run before it.
    pub before: usize,
    /// The first run after it.
    pub after: usize,
}

impl Past {
    /// What may have caused a change of an app: what is its own, then what it shares with all. Never empty.
    ///
    /// Noise may put a change one run too early or too late. So where nothing was different, the steps beside it are looked at.
    pub fn causes(&self, step: Step<'_>, beside: &[Step<'_>], lockfiles: &dyn Lockfiles) -> Vec<Cause> {
        let mut found = self.different(step, lockfiles);
        for other in beside {
            if found.is_empty() {
                found = self.different(*other, lockfiles);
            }
        }
        if found.is_empty() {
            found.push(self.unknown(step));
        }
        found
    }

    /// What may have caused a change of all apps at once: what is shared, and crates that moved for at least half of them.
    pub fn shared_causes(&self, before: usize, after: usize, lockfiles: &dyn Lockfiles) -> Vec<Cause> {
        let mut found = Vec::new();
        let (one, other) = (&self.runs[before], &self.runs[after]);
        let apps: BTreeSet<&SubjectId> = other
            .builds
            .keys()
            .filter(|subject| one.builds.contains_key(subject))
            .collect();
        let moved = apps.iter().flat_map(|subject| {
            let step = Step { subject, before, after };
            self.own(step, lockfiles)
        });
        let moved: Vec<Cause> = moved.filter(|cause| cause.kind == Kind::Dependency).collect();
        for cause in &moved {
            let times = moved.iter().filter(|other| *other == cause).count();
            if 2 * times >= apps.len() && !found.contains(cause) {
                found.push(cause.clone());
            }
        }
        found.extend(self.around(before, after));
        found
    }

    /// Whether what an app is built from changed in any of these runs, which follow on each other; `None` where that is not known.
    pub fn is_touched(&self, subject: &SubjectId, runs: &[usize]) -> Option<bool> {
        let builds = runs.iter().map(|run| self.runs[*run].builds.get(subject));
        let builds: Vec<&Facts> = builds.collect::<Option<_>>()?;
        (builds.len() > 1).then(|| builds.windows(2).any(|pair| pair[0] != pair[1]))
    }

    fn different(&self, step: Step<'_>, lockfiles: &dyn Lockfiles) -> Vec<Cause> {
        let mut found = self.own(step, lockfiles);
        found.extend(self.around(step.before, step.after));
        found
    }

    /// What an app was built from.
    fn own(&self, step: Step<'_>, lockfiles: &dyn Lockfiles) -> Vec<Cause> {
        let (before, after) = (&self.runs[step.before], &self.runs[step.after]);
        let none = Facts::new();
        let build = |run: &'_ Run| run.builds.get(step.subject).unwrap_or(&none).clone();
        let mut found = differences(&build(before), &build(after), &after.id);
        for cause in found.iter_mut().filter(|cause| is_hash(cause)) {
            (cause.before, cause.after) = (short(&cause.before), short(&cause.after));
        }
        let Some(place) = found.iter().position(|cause| cause.name == LOCKFILE) else {
            return found;
        };
        let commits = before.commit.as_deref().zip(after.commit.as_deref());
        let moved = commits.and_then(|(before, after)| lockfiles.moved(before, after, &step.subject.app));
        let is_told = |name: &str| {
            found
                .iter()
                .any(|cause| cause.kind == Kind::Framework && cause.name == name)
        };
        let crates = moved.into_iter().flatten().filter(|moved| !is_told(&moved.name));
        let crates = crates.take(MOST_DEPENDENCIES).map(|moved| Cause {
            kind: Kind::Dependency,
            name: moved.name,
            before: moved.before.join(", "),
            after: moved.after.join(", "),
            run: after.id.clone(),
        });
        let crates: Vec<Cause> = crates.collect();
        // Where nobody knows which crates they are, it is still said that some moved; unless the framework is all of them.
        if !crates.is_empty() || found.iter().any(|cause| cause.kind == Kind::Framework) {
            found.splice(place..=place, crates);
        }
        found
    }

    /// What all apps of a run share.
    fn around(&self, before: usize, after: usize) -> Vec<Cause> {
        let (before, after) = (&self.runs[before], &self.runs[after]);
        differences(&before.surroundings, &after.surroundings, &after.id)
    }

    fn unknown(&self, step: Step<'_>) -> Cause {
        let (before, after) = (&self.runs[step.before], &self.runs[step.after]);
        let same = before.machine == after.machine;
        Cause {
            kind: if same { Kind::Environment } else { Kind::Machine },
            name: if same { "nothing known" } else { "machine" }.to_owned(),
            before: if same { String::new() } else { before.machine.clone() },
            after: if same { String::new() } else { after.machine.clone() },
            run: after.id.clone(),
        }
    }
}

/// Facts with another value.
pub(super) fn differences(before: &Facts, after: &Facts, run: &str) -> Vec<Cause> {
    let facts: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let value = |facts: &Facts, fact| facts.get(fact).cloned().unwrap_or_default();
    let causes = facts.into_iter().map(|fact| Cause {
        kind: fact.kind,
        name: fact.name.clone(),
        before: value(before, fact),
        after: value(after, fact),
        run: run.to_owned(),
    });
    causes.filter(|cause| cause.before != cause.after).collect()
}

fn is_hash(cause: &Cause) -> bool {
    cause.kind == Kind::Source || cause.name == LOCKFILE
}

fn short(hash: &str) -> String {
    hash.chars().take(HASH).collect()
}
