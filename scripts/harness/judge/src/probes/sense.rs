//! Whether a document of probes is the one that was requested.

use jiff::Timestamp;
use record::probe::Probes;
use record::{AppRecord, CLOCKS};

use crate::sense::app_findings;

/// What was requested.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// When it was requested.
    pub since: Option<Timestamp>,
    /// The commit, without changes to its files.
    pub commit: Option<String>,
    /// The apps and variants of that commit; `None` where they are not known.
    pub apps: Option<Vec<AppRecord>>,
}

/// Where it differs from what was requested, a line each; empty if it does not.
pub fn findings(probes: &Probes, expected: &Expected) -> Vec<String> {
    let mut found = Vec::new();
    let began = probes.started_at;
    if let Some(since) = expected.since
        && began.saturating_add(CLOCKS).is_ok_and(|began| began < since)
    {
        found.push(format!("it began at {began}, before it was asked for at {since}"));
    }
    if let Some(commit) = &expected.commit {
        if probes.origin.commit.as_ref() != Some(commit) {
            let own = probes.origin.commit.as_deref().unwrap_or("none");
            found.push(format!("it is of commit {own}, and {commit} was asked for"));
        } else if probes.origin.dirty != Some(false) {
            found.push(format!(
                "its programs were built from changed files, and not from {commit} as it is"
            ));
        }
    }
    for one in &probes.apps {
        found.extend(app_findings(&one.app, expected.apps.as_deref()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&mut Probes);

    #[test]
    fn a_document_that_was_not_requested_is_refused() {
        let good = samples::probes();
        let expected = Expected {
            since: Some("2026-11-21T10:59:00Z".parse().unwrap()),
            commit: good.origin.commit.clone(),
            apps: Some(good.apps.iter().map(|one| one.app.clone()).collect()),
        };
        assert_eq!(findings(&good, &expected), Vec::<String>::new());
        let changes: [(Change, &str); 4] = [
            (
                |probes| probes.started_at = "2026-11-20T11:00:00Z".parse().unwrap(),
                "before it was asked for",
            ),
            (|probes| probes.origin.commit = Some("0".repeat(40)), "was asked for"),
            (|probes| probes.origin.dirty = Some(true), "from changed files"),
            (
                |probes| probes.apps[0].app.framework_version = "9.9.9".into(),
                "framework_version",
            ),
        ];
        for (change, told) in changes {
            let mut bad = good.clone();
            change(&mut bad);
            let found = findings(&bad, &expected);
            assert!(found.iter().any(|line| line.contains(told)), "{told}: {found:?}");
        }
    }
}
