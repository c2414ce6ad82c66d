//! Whether a document of probes makes sense: whether it can be what `bench probe` wrote, and is what was asked for. Its bounds are
//! those of [`record::probe::store::check`].

use jiff::Timestamp;
use record::probe::{ProbeCase, Probes};
use record::{AppRecord, CLOCKS, id_is_after};

use crate::sense::app_findings;

/// Most findings that are given.
const MOST: usize = 20;

/// What a document is held against.
#[derive(Debug, Clone)]
pub struct Expected<'a> {
    /// The time now.
    pub now: Timestamp,
    /// When it was asked for.
    pub since: Option<Timestamp>,
    /// The commit that was asked for, without changes to its files.
    pub commit: Option<String>,
    /// The apps and variants of that commit; `None` where they are not known.
    pub apps: Option<Vec<AppRecord>>,
    /// The cases of this program, which are those of `commit`. Those of suites, which describe themselves, begin with the id of
    /// their suite.
    pub cases: &'a [ProbeCase],
    /// Ids of suites.
    pub suites: &'a [&'a str],
}

/// Its contradictions, a line each; empty if there are none.
pub fn findings(probes: &Probes, expected: &Expected<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let (began, ended) = (probes.started_at, probes.finished_at);
    if ended < began {
        found.push(format!("it ended at {ended}, before it began at {began}"));
    }
    let now = expected.now;
    if id_is_after(&probes.id, now) || now.saturating_add(CLOCKS).is_ok_and(|now| ended > now) {
        found.push(format!(
            "it is of the future: {}, {ended}, and now it is {now}",
            probes.id
        ));
    }
    let prefix = began.strftime("%Y%m%dT%H%M%SZ-").to_string();
    if !probes.id.starts_with(&prefix) {
        found.push(format!(
            "its id is {}, and by its start it would begin with {prefix}",
            probes.id
        ));
    }
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
    // Cases change from version to version, and a document that is kept has those of its own.
    if expected.commit.is_some() {
        found.extend(unknown_cases(&probes.cases, expected));
    }
    if found.len() > MOST {
        let more = found.len() - MOST;
        found.truncate(MOST);
        found.push(format!("and {more} more like these"));
    }
    found
}

/// The cases that are not those of this program.
fn unknown_cases(cases: &[ProbeCase], expected: &Expected<'_>) -> Vec<String> {
    let finding = |case: &ProbeCase| {
        let known = expected.cases.iter().find(|known| known.id == case.id);
        let is_of_suite = expected.suites.iter().any(|suite| {
            let rest = case.id.strip_prefix(suite);
            rest.is_some_and(|rest| rest.starts_with('-'))
        });
        match known {
            Some(known) if known != case => Some(format!("case {} is not that of this program", case.id)),
            None if !is_of_suite => Some(format!("there is no case {}", case.id)),
            _ => None,
        }
    };
    cases.iter().filter_map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::sample;

    type Change = fn(&mut Probes);

    #[test]
    fn what_contradicts_itself_or_the_question_is_told() {
        let good = sample::probes();
        let expected = |commit: Option<&str>| Expected {
            now: "2026-11-21T12:00:00Z".parse().unwrap(),
            since: Some("2026-11-21T10:59:00Z".parse().unwrap()),
            commit: commit.map(ToOwned::to_owned),
            apps: Some(good.apps.iter().map(|one| one.app.clone()).collect()),
            cases: &good.cases,
            suites: &["h2spec"],
        };
        let commit = good.origin.commit.clone();
        assert_eq!(findings(&good, &expected(commit.as_deref())), Vec::<String>::new());
        let changes: [(Change, &str); 9] = [
            (
                |probes| probes.finished_at = "2026-11-21T10:00:00Z".parse().unwrap(),
                "before it began",
            ),
            (|probes| probes.id = "20271121T110000Z-1".into(), "of the future"),
            (
                |probes| probes.id = "20261121T110001Z-1".into(),
                "would begin with 20261121T110000Z-",
            ),
            (
                |probes| {
                    probes.started_at = "2026-11-20T11:00:00Z".parse().unwrap();
                    probes.id = "20261120T110000Z-1".into();
                },
                "before it was asked for",
            ),
            (|probes| probes.origin.commit = Some("0".repeat(40)), "was asked for"),
            (|probes| probes.origin.dirty = Some(true), "from changed files"),
            (
                |probes| probes.apps[0].app.framework_version = "9.9.9".into(),
                "framework_version",
            ),
            (
                |probes| probes.cases[0].demand = "Buy this.".into(),
                "is not that of this program",
            ),
            (|probes| probes.cases[0].id = "mine".into(), "there is no case mine"),
        ];
        for (change, told) in changes {
            let mut bad = good.clone();
            change(&mut bad);
            let found = findings(&bad, &expected(commit.as_deref()));
            assert!(found.iter().any(|line| line.contains(told)), "{told}: {found:?}");
        }
        let mut suite = good.clone();
        suite.cases.push(ProbeCase {
            id: "h2spec-1".into(),
            ..good.cases[0].clone()
        });
        assert_eq!(findings(&suite, &expected(commit.as_deref())), Vec::<String>::new());
        // Of another version, which had other cases.
        let mut older = good.clone();
        older.cases[0].id = "no-longer-there".into();
        assert_eq!(findings(&older, &expected(None)), Vec::<String>::new());
    }
}
