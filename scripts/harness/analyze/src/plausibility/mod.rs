//! Whether a record is a result that does not contradict itself; whether it is what was requested: of this lane, profile, runner, commit,
//! time and apps; and whether what never changes is where earlier runs had it.

mod baseline_drift;
mod contradictions;

use std::collections::BTreeSet;

use jiff::Timestamp;
use model::{AppRecord, CLOCKS, Lane, Record, runner_labels};

use crate::mostly_failed::mostly_failed;
pub use baseline_drift::baseline_drift;
use contradictions::contradictions;

/// What a record is held against.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The time now: no run ends after it.
    pub now: Timestamp,
    /// When the run was requested: it begins later.
    pub since: Option<Timestamp>,
    /// The requested lane.
    pub lane: Option<Lane>,
    /// The requested profile.
    pub profile: Option<String>,
    /// The requested runner's labels.
    pub runner: Option<Vec<String>>,
    /// The requested commit, without changes to its files.
    pub commit: Option<String>,
    /// The apps and variants of that commit; `None` where they are not known.
    pub apps: Option<Vec<AppRecord>>,
}

/// What speaks against a record, a line each; empty if nothing does. Names and texts of the record are in them as they are.
pub fn findings(record: &Record, expected: &Expected) -> Vec<String> {
    let (lane, profile) = (record.lane.name().to_owned(), record.profile.clone());
    let same_runner = |runner: &&Vec<String>| runner_labels(*runner) == runner_labels(&record.environment.runner);
    let runner = |labels: &Vec<String>| match labels.as_slice() {
        [] => "none".to_owned(),
        labels => labels.join(", "),
    };
    let requested = [
        ("its lane is", lane, expected.lane.map(|lane| lane.name().to_owned())),
        ("its profile is", profile, expected.profile.clone()),
        (
            "its runner is",
            runner(&record.environment.runner),
            expected
                .runner
                .as_ref()
                .filter(|runner| !same_runner(runner))
                .map(runner),
        ),
    ];
    let others = requested.into_iter().filter_map(|(what, own, requested)| {
        let requested = requested.filter(|requested| *requested != own)?;
        Some(format!("{what} {own}, but {requested} was requested"))
    });
    let mut found: Vec<String> = others.collect();
    let Record {
        started_at,
        finished_at,
        harness,
        ..
    } = record;
    found.extend(commit_finding(harness.commit.as_deref(), harness.dirty, expected));
    if !harness.foreign_settings.is_empty() {
        let settings = harness.foreign_settings.join(", ");
        found.push(format!(
            "its programs were not built as the repository says: {settings}"
        ));
    }
    found.extend(early_finding(*started_at, expected));
    let (now, last) = (expected.now, started_at.max(finished_at));
    if now.saturating_add(CLOCKS).is_ok_and(|now| *last > now) {
        found.push(format!("it is from the future: {last}, and now it is {now}"));
    }
    let apps = record.apps.iter();
    found.extend(apps.flat_map(|app| app_findings(app, expected)));
    found.extend(mostly_failed(record).map(|reason| format!("it is no result: {reason}")));
    found.extend(contradictions(record));
    found
}

/// What is wrong with the commit of the programs.
fn commit_finding(own: Option<&str>, dirty: Option<bool>, expected: &Expected) -> Option<String> {
    let commit = expected.commit.as_deref()?;
    match own {
        Some(own) if own == commit => (dirty != Some(false))
            .then(|| format!("its programs were built from changed files, and not from {commit} as it is")),
        Some(own) => Some(format!("its commit is {own}, but {commit} was requested")),
        None => Some(format!("it names no commit, but {commit} was requested")),
    }
}

/// What is wrong if it began before it was requested.
fn early_finding(began: Timestamp, expected: &Expected) -> Option<String> {
    let since = expected.since?;
    let is_early = began.saturating_add(CLOCKS).is_ok_and(|began| began < since);
    is_early.then(|| format!("it began at {began}, before it was requested at {since}"))
}

/// How an app was built, and what that took: what a run adds to the facts of its commit.
const ADDED: [&str; 8] = [
    "binary_bytes",
    "build_seconds",
    "build_error",
    "withdrawn",
    "instructions_not_counted",
    "engine",
    "not_probed",
    "costs",
];

/// Where an app differs from the one at its commit.
fn app_findings(app: &AppRecord, expected: &Expected) -> Vec<String> {
    let (label, Some(known)) = (app.label(), &expected.apps) else {
        return Vec::new();
    };
    let mut known = known.iter();
    let Some(known) = known.find(|known| (&known.id, &known.variant) == (&app.id, &app.variant)) else {
        return vec![format!("there is no app {label} at its commit")];
    };
    let [own, known] = [app, known].map(|app| serde_json::to_value(app).unwrap_or_default());
    let facts = [&own, &known].into_iter().filter_map(|app| app.as_object());
    let facts: BTreeSet<&str> = facts.flat_map(|facts| facts.keys().map(String::as_str)).collect();
    let others = facts
        .into_iter()
        .filter(|fact| !ADDED.contains(fact) && own[*fact] != known[*fact]);
    others
        .map(|fact| format!("`{fact}` of {label} differs from the app at its commit"))
        .collect()
}

#[cfg(test)]
mod tests;
