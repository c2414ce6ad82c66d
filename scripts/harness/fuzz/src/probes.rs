//! A file of probes, from its own file or from the published branch.

use std::path::Path;
use std::sync::OnceLock;

use jiff::Timestamp;
use judge::history::NoLockfiles;
use judge::probes::{Expected, findings, story};
use record::probe::{Probes, store};
use record::sample;
use serde_json::Value;
use tell::publish::{Additions, Memory, check, prepare};
use tell::report::{probe_changes, probes as table, probes_markdown};

use crate::{shown, surgery};

fn good() -> &'static Value {
    static GOOD: OnceLock<Value> = OnceLock::new();
    GOOD.get_or_init(|| serde_json::to_value(sample::probes()).expect("probes are JSON"))
}

fn read(bytes: &[u8]) -> Option<Probes> {
    store::parse(Path::new("probes.json"), str::from_utf8(bytes).ok()?).ok()
}

/// A file of probes, in every form that it is shown in, its history, and what it is held against before it is published.
pub fn probes(data: &[u8]) {
    let Some(probes) = read(&surgery::document(data, good())) else {
        return;
    };
    shown::plain(&table(&probes, true));
    shown::inert(&probes_markdown(&probes));
    let before = sample::probes();
    shown::inert(&probe_changes(&story(&[before.clone(), probes.clone()], &NoLockfiles)));
    let expected = Expected {
        now: before.finished_at,
        since: Some(before.started_at),
        commit: before.origin.commit.clone(),
        apps: Some(before.apps.iter().map(|one| one.app.clone()).collect()),
        cases: &before.cases,
        suites: &["h2spec"],
    };
    let _ = findings(&probes, &expected);
    let text = serde_json::to_string(&probes).expect("probes are JSON");
    assert!(
        read(text.as_bytes()).is_some_and(|again| again == probes),
        "they are not read again"
    );
    let additions = Additions {
        probes: vec![probes],
        ..Additions::nothing(Timestamp::MAX)
    };
    let Ok(prepared) = prepare(&Memory::default(), &additions) else {
        return;
    };
    check(&Memory(prepared.files), Timestamp::MAX).expect("what was published can be read");
}
