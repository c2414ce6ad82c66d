//! What else was different when a figure changed.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::timeline::{Facts, Kind, Run, Timeline};
use crate::compare::outcome::Dependency;
use model::{Record, SubjectId};

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

/// The place of a change: the last run before it, and the first after it.
pub type Step = (usize, usize);

impl Timeline {
    /// What may have caused a change of an app between two runs: its own differences, then those that all share. Never empty.
    ///
    /// Noise may place a change one run too early or too late, so where nothing was different, the neighbouring steps are examined.
    pub fn causes(
        &self,
        subject: &SubjectId,
        step: Step,
        neighbours: &[Step],
        lockfiles: &dyn Lockfiles,
    ) -> Vec<Cause> {
        let different = |step: &Step| {
            let mut found = self.own(subject, *step, lockfiles);
            found.extend(self.shared(*step));
            found
        };
        let steps = [step].into_iter().chain(neighbours.iter().copied());
        let found = steps.map(|step| different(&step)).find(|found| !found.is_empty());
        found.unwrap_or_else(|| vec![self.machine_or_nothing(step)])
    }

    /// What may have caused a change of all apps at once: shared differences, and what changed alike for at least half of them.
    pub fn shared_causes(&self, step: Step, lockfiles: &dyn Lockfiles) -> Vec<Cause> {
        let mut found = Vec::new();
        let (one, other) = (&self.runs[step.0], &self.runs[step.1]);
        let apps = other.builds.keys().filter(|subject| one.builds.contains_key(subject));
        let apps: Vec<&SubjectId> = apps.collect();
        let moved: Vec<Cause> = apps
            .iter()
            .flat_map(|subject| self.own(subject, step, lockfiles))
            .collect();
        for cause in &moved {
            let times = moved.iter().filter(|other| *other == cause).count();
            if 2 * times >= apps.len() && !found.contains(cause) {
                found.push(cause.clone());
            }
        }
        found.extend(self.shared(step));
        found
    }

    /// Whether the sources or dependencies of an app changed in any of these consecutive runs; `None` where that is unknown.
    pub fn is_touched(&self, subject: &SubjectId, runs: &[usize]) -> Option<bool> {
        let builds = runs.iter().map(|run| self.runs[*run].builds.get(subject));
        let builds: Vec<&Facts> = builds.collect::<Option<_>>()?;
        (builds.len() > 1).then(|| builds.windows(2).any(|pair| pair[0] != pair[1]))
    }

    /// Differences in what an app was built from.
    fn own(&self, subject: &SubjectId, (before, after): Step, lockfiles: &dyn Lockfiles) -> Vec<Cause> {
        let (before, after) = (&self.runs[before], &self.runs[after]);
        let none = Facts::new();
        let build = |run: &Run| run.builds.get(subject).unwrap_or(&none).clone();
        let mut found = differences(&build(before), &build(after), &after.id);
        for cause in found.iter_mut().filter(|cause| is_hash(cause)) {
            (cause.before, cause.after) = (short(&cause.before), short(&cause.after));
        }
        let Some(place) = found.iter().position(|cause| cause.name == LOCKFILE) else {
            return found;
        };
        let commits = before.commit.as_deref().zip(after.commit.as_deref());
        let moved = commits.and_then(|(before, after)| lockfiles.moved(before, after, &subject.app));
        let framework = found.iter().find(|cause| cause.kind == Kind::Framework);
        let is_known = |name: &str| framework.is_some_and(|cause| cause.name == name);
        let crates = moved.into_iter().flatten().filter(|moved| !is_known(&moved.name));
        let crates = crates.take(MOST_DEPENDENCIES).map(|moved| Cause {
            kind: Kind::Dependency,
            name: moved.name,
            before: moved.before.join(", "),
            after: moved.after.join(", "),
            run: after.id.clone(),
        });
        let crates: Vec<Cause> = crates.collect();
        // Where the crates are unknown, the lockfile still says that some changed, unless the framework explains it.
        if !crates.is_empty() || framework.is_some() {
            found.splice(place..=place, crates);
        }
        found
    }

    /// Differences in what all apps of a run share.
    fn shared(&self, (before, after): Step) -> Vec<Cause> {
        let (before, after) = (&self.runs[before], &self.runs[after]);
        differences(&before.surroundings, &after.surroundings, &after.id)
    }

    /// The machine, where it is another; else nothing that is known.
    fn machine_or_nothing(&self, (before, after): Step) -> Cause {
        let machine =
            |run: usize| Facts::from([((Kind::Machine, "machine".to_owned()), self.runs[run].machine.clone())]);
        let mut other = differences(&machine(before), &machine(after), &self.runs[after].id);
        other.pop().unwrap_or_else(|| self.nothing_known(after))
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

/// What was different between two runs: what all apps share, then what apps were built from, each with the apps; what most share first. Of
/// sources and unknown dependencies it is said that they differ, not how.
pub fn between<'a>(
    before: &Record,
    now: &'a Record,
    lockfiles: &dyn Lockfiles,
) -> (Vec<Cause>, Vec<(Cause, BTreeSet<&'a str>)>) {
    let timeline = Timeline::of_runs([before, now]);
    let place = |run: &Run| {
        let facts = [
            (Kind::Runner, "runner", &run.runner),
            (Kind::Machine, "machine", &run.machine),
        ];
        Facts::from(facts.map(|(kind, name, value)| ((kind, name.to_owned()), value.clone())))
    };
    let [one, other] = [0, 1].map(|run| place(&timeline.runs[run]));
    let mut shared = differences(&one, &other, &now.id);
    shared.extend(timeline.shared((0, 1)));
    let mut own: Vec<(Cause, BTreeSet<&str>)> = Vec::new();
    let both = now
        .apps
        .iter()
        .filter(|app| before.app(&app.id, &app.variant).is_some());
    for app in both {
        for mut cause in timeline.own(&app.subject(), (0, 1), lockfiles) {
            if is_hash(&cause) {
                (cause.before, cause.after) = Default::default();
            }
            match own.iter_mut().find(|(known, _)| *known == cause) {
                Some((_, apps)) => drop(apps.insert(&app.name)),
                None => own.push((cause, BTreeSet::from([&*app.name]))),
            }
        }
    }
    own.sort_by_key(|(_, apps)| Reverse(apps.len()));
    (shared, own)
}

/// Facts whose value differs.
pub(super) fn differences(before: &Facts, after: &Facts, run: &str) -> Vec<Cause> {
    let facts: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let value = |facts: &Facts, fact| facts.get(fact).cloned().unwrap_or_default();
    let causes = facts.into_iter().map(|fact| Cause {
        kind: fact.0,
        name: fact.1.clone(),
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
