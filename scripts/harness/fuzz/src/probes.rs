//! A file of probes.

use std::path::Path;
use std::sync::LazyLock;

use judge::history::NoLockfiles;
use judge::probes::{Expected, findings, story};
use record::probe::{Probes, store};
use record::sample;
use serde_json::Value;
use tell::report::{probe_changes, probes as table, probes_markdown};

use crate::{Parts, shown, surgery};

static SAMPLE: LazyLock<Probes> = LazyLock::new(sample::probes);
static GOOD: LazyLock<Value> = LazyLock::new(|| serde_json::to_value(&*SAMPLE).expect("probes are JSON"));

fn read(bytes: &[u8]) -> Option<Probes> {
    store::parse(Path::new("probes.json"), str::from_utf8(bytes).ok()?).ok()
}

/// A file of probes, in every form that it is shown in, its history, and what it is held against before it is published.
pub fn probes(data: &[u8], parts: Parts) {
    let Some(probes) = read(&surgery::document(data, &GOOD)) else {
        return;
    };
    parts.run(&[
        &|| shown::plain(&table(&probes, true)),
        &|| shown::inert(&probes_markdown(&probes)),
        &|| shown::inert(&probe_changes(&story(&[SAMPLE.clone(), probes.clone()], &NoLockfiles))),
        &|| held_against(&probes),
        &|| {
            let text = serde_json::to_string(&probes).expect("probes are JSON");
            assert!(
                read(text.as_bytes()).is_some_and(|again| again == probes),
                "they are not read again"
            );
        },
    ]);
}

fn held_against(probes: &Probes) {
    let expected = Expected {
        now: SAMPLE.finished_at,
        since: Some(SAMPLE.started_at),
        commit: SAMPLE.origin.commit.clone(),
        apps: Some(SAMPLE.apps.iter().map(|one| one.app.clone()).collect()),
        cases: &SAMPLE.cases,
        suites: &["h2spec"],
    };
    let _ = findings(probes, &expected);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_that_inputs_change_is_a_file_of_probes() {
        assert_eq!(read(&surgery::document(b"", &GOOD)).as_ref(), Some(&*SAMPLE));
    }
}
