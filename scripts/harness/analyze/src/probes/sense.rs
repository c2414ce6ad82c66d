//! Whether a document of probes is the one that was requested.

use model::probe::Probes;

use crate::plausibility::{Expected, app_findings, commit_finding, early_finding};

/// Where it differs from what was requested, a line each; empty if it does not. It has neither lane nor profile.
pub fn findings(probes: &Probes, expected: &Expected) -> Vec<String> {
    let origin = &probes.origin;
    let early = early_finding(probes.started_at, expected);
    let commit = commit_finding(origin.commit.as_deref(), origin.dirty, expected);
    let apps = probes.apps.iter();
    let apps = apps.flat_map(|one| app_findings(&one.app, expected));
    early.into_iter().chain(commit).chain(apps).collect()
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
            ..Expected::default()
        };
        assert_eq!(findings(&good, &expected), Vec::<String>::new());
        let changes: [(Change, &str); 4] = [
            (
                |probes| probes.started_at = "2026-11-20T11:00:00Z".parse().unwrap(),
                "before it was requested",
            ),
            (|probes| probes.origin.commit = Some("0".repeat(40)), "was requested"),
            (|probes| probes.origin.dirty = Some(true), "from changed files"),
            (
                |probes| probes.apps[0].app.framework_version = "9.9.9".into(),
                "framework_version",
            ),
        ];
        for (change, message) in changes {
            let mut bad = good.clone();
            change(&mut bad);
            let found = findings(&bad, &expected);
            assert!(found.iter().any(|line| line.contains(message)), "{message}: {found:?}");
        }
    }
}
