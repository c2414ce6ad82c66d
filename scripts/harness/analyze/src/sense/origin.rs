//! Where a record comes from: its name, its time, its commit, its apps.

use jiff::Timestamp;
use model::{AppRecord, CLOCKS, Record, run_id};

use super::Expected;

/// What speaks against a record, a line each; empty if nothing does. Names and texts of the record are in them as they are.
pub fn findings(record: &Record, expected: &Expected) -> Vec<String> {
    let mut found = asked(record, expected);
    found.extend(time(record, expected));
    for app in &record.apps {
        found.extend(app_findings(app, expected.apps.as_deref()));
    }
    found
}

fn asked(record: &Record, expected: &Expected) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(lane) = expected.lane.filter(|lane| *lane != record.lane) {
        let (own, lane) = (record.lane.name(), lane.name());
        found.push(format!("it is of lane {own}, and {lane} was asked for"));
    }
    if let Some(profile) = expected.profile.as_ref().filter(|profile| **profile != record.profile) {
        found.push(format!(
            "it is of profile {}, and {profile} was asked for",
            record.profile
        ));
    }
    let own = &record.environment.runner;
    if let Some(runner) = expected.runner.as_ref().filter(|runner| *runner != own) {
        let (own, runner) = (own.join(", "), runner.join(", "));
        let own = if own.is_empty() { "none" } else { &own };
        found.push(format!("its runner is {own}, and {runner} was asked for"));
    }
    found.extend(commit_finding(
        record.harness.commit.as_deref(),
        record.harness.dirty,
        expected,
    ));
    found
}

/// What is wrong with the commit of the programs.
pub(crate) fn commit_finding(own: Option<&str>, dirty: Option<bool>, expected: &Expected) -> Option<String> {
    let commit = expected.commit.as_deref()?;
    match own {
        Some(own) if own == commit => (dirty != Some(false))
            .then(|| format!("its programs were built from changed files, and not from {commit} as it is")),
        Some(own) => Some(format!("it is of commit {own}, and {commit} was asked for")),
        None => Some(format!("it names no commit, and {commit} was asked for")),
    }
}

/// What is wrong if it began before it was asked for.
pub(crate) fn early_finding(began: Timestamp, expected: &Expected) -> Option<String> {
    let since = expected.since?;
    let is_early = began.saturating_add(CLOCKS).is_ok_and(|began| began < since);
    is_early.then(|| format!("it began at {began}, before it was asked for at {since}"))
}

fn time(record: &Record, expected: &Expected) -> Vec<String> {
    let (began, ended) = (record.started_at, record.finished_at);
    let mut found = Vec::new();
    let id = run_id(began, record.seed);
    if record.id != id {
        found.push(format!(
            "its id is {}, and by its start and seed it would be {id}",
            record.id
        ));
    }
    if ended < began {
        found.push(format!("it ended at {ended}, before it began at {began}"));
    }
    found.extend(early_finding(began, expected));
    let now = expected.now;
    if now.saturating_add(CLOCKS).is_ok_and(|now| began.max(ended) > now) {
        let last = began.max(ended);
        found.push(format!("it is of the future: {last}, and now it is {now}"));
    }
    found
}

/// What is wrong with an app: a link that is none, or another app than the one of its commit.
pub fn app_findings(app: &AppRecord, known: Option<&[AppRecord]>) -> Vec<String> {
    let label = app.label();
    let mut found = Vec::new();
    if !is_address(&app.link) {
        found.push(format!("{label} links to {:?}, which is no https address", app.link));
    }
    let Some(known) = known else { return found };
    let Some(known) = known
        .iter()
        .find(|known| (&known.id, &known.variant) == (&app.id, &app.variant))
    else {
        found.push(format!("there is no app {label} at its commit"));
        return found;
    };
    // How it was built, and what that took, is what the run adds.
    let facts = [
        ("name", app.name == known.name),
        ("link", app.link == known.link),
        ("role", app.role == known.role),
        ("tier", app.tier == known.tier),
        ("framework", app.framework == known.framework),
        ("framework_version", app.framework_version == known.framework_version),
        ("source_hash", app.source_hash == known.source_hash),
        ("lockfile_hash", app.lockfile_hash == known.lockfile_hash),
        ("protocols", app.protocols == known.protocols),
        ("known_fault", app.known_fault == known.known_fault),
        ("stack", app.stack == known.stack),
        ("services", app.services == known.services),
    ];
    let others = facts.iter().filter(|(_, same)| !same);
    found.extend(others.map(|(fact, _)| format!("`{fact}` of {label} is not that of the app at its commit")));
    found
}

/// Whether it is a plain https address with a host and nothing that could hide another one.
fn is_address(link: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%?#=&+".contains(c);
    link.strip_prefix("https://")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()) && rest.chars().all(plain))
        && link.len() <= 200
}
