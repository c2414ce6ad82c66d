//! What else was different when a figure changed.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::past::{Facts, Kind, Past, Run};
use crate::compare::outcome::Dependency;
use record::SubjectId;

/// Name of the fact that stands for all dependencies of an app.
pub const LOCKFILE: &str = "Cargo.lock";
/// Dependencies of one app that are named; a bump of a workspace can move hundreds.
const MOST_DEPENDENCIES: usize = 20;
/// Characters of a hash that are shown.
const HASH: usize = 12;

/// Something that was different before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Its value before; empty if it did not exist.
    pub before: String,
    /// Its value after; empty if it is gone.
    pub after: String,
    /// The run that had it first.
    pub run: String,
}

/// The lockfiles of old commits.
pub trait Lockfiles: std::fmt::Debug {
    /// Dependencies of an app that changed between two commits; `None` if that is unknown.
    fn moved(&self, before: &str, after: &str, app: &str) -> Option<Vec<Dependency>>;
}

/// For places without a repository.
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
    /// The app.
    pub subject: &'a SubjectId,
    /// The last run before it.
    pub before: usize,
    /// The first run after it.
    pub after: usize,
}

impl Past {
    /// What may have caused a change of an app: its own differences, then those that all share. Never empty.
    ///
    /// Noise may place a change one run too early or too late, so where nothing was different, the neighbouring steps are examined.
    pub fn causes(&self, step: Step<'_>, beside: &[Step<'_>], lockfiles: &dyn Lockfiles) -> Vec<Cause> {
        let mut found = self.different(step, lockfiles);
        for other in beside {
            if found.is_empty() {
                found = self.different(*other, lockfiles);
            }
        }
        if found.is_empty() {
            found.push(self.machine_or_nothing(step));
        }
        found
    }

    /// What may have caused a change of all apps at once: shared differences, and crates that changed for at least half of them.
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

    /// Whether the sources or dependencies of an app changed in any of these consecutive runs; `None` where that is unknown.
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

    /// Differences in what an app was built from.
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
        // Where the crates are unknown, the lockfile still says that some changed, unless the framework explains it.
        if !crates.is_empty() || found.iter().any(|cause| cause.kind == Kind::Framework) {
            found.splice(place..=place, crates);
        }
        found
    }

    /// Differences in what all apps of a run share.
    fn around(&self, before: usize, after: usize) -> Vec<Cause> {
        let (before, after) = (&self.runs[before], &self.runs[after]);
        differences(&before.surroundings, &after.surroundings, &after.id)
    }

    /// The machine, where it is another; else nothing that is known.
    fn machine_or_nothing(&self, step: Step<'_>) -> Cause {
        let (before, after) = (&self.runs[step.before], &self.runs[step.after]);
        if before.machine == after.machine {
            return self.nothing_known(step.after);
        }
        Cause {
            kind: Kind::Machine,
            name: "machine".to_owned(),
            before: before.machine.clone(),
            after: after.machine.clone(),
            run: after.id.clone(),
        }
    }

    /// The cause of a change where nothing was different.
    pub fn nothing_known(&self, run: usize) -> Cause {
        Cause {
            kind: Kind::Environment,
            name: "nothing known".to_owned(),
            before: String::new(),
            after: String::new(),
            run: self.runs[run].id.clone(),
        }
    }
}

/// Facts whose value differs.
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
