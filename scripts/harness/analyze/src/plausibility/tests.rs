//! Records that are not what was requested, each as a change of a good one, and the line that refuses it.

use model::Record;

use super::*;

const COMMIT: &str = "3aeac8c0ffee3aeac8c0ffee3aeac8c0ffee3aea";

/// What was requested when the good record was made.
fn requested() -> Expected {
    Expected {
        now: "2026-11-21T12:00:00Z".parse().unwrap(),
        since: Some("2026-11-21T10:30:00Z".parse().unwrap()),
        lane: Some(Lane::HostedX64),
        profile: Some("weekly".into()),
        runner: Some(vec!["ubuntu-24.04".into()]),
        commit: Some(COMMIT.into()),
        apps: Some(samples::sensible().apps),
    }
}

/// A run that began at this time, with an id to match.
fn at(record: &mut Record, began: &str, ended: &str) {
    (record.started_at, record.finished_at) = (began.parse().unwrap(), ended.parse().unwrap());
    record.id = model::run_id(record.started_at, record.seed);
    for trial in &mut record.trials {
        trial.started_at = record.started_at;
    }
}

#[test]
fn a_runner_is_requested_by_its_labels_in_any_order_and_case() {
    let mut record = samples::sensible();
    record.environment.runner = vec!["self-hosted".into(), "bench".into()];
    let expected = Expected {
        runner: Some(vec!["Bench".into(), "self-hosted".into()]),
        ..requested()
    };
    assert_eq!(findings(&record, &expected), [""; 0]);
}

type Attack = fn(&mut Record);

#[test]
#[allow(clippy::too_many_lines)] // a table
fn what_was_not_requested_is_refused_by_name() {
    assert_eq!(findings(&samples::sensible(), &requested()), [""; 0]);
    let attacks: [(&str, Attack, &str); 21] = [
        // Its runner, by which next week's run may request a machine.
        (
            "next week's run is sent to another machine of the project",
            |record| record.environment.runner = vec!["self-hosted".into(), "deploy".into()],
            "its runner is self-hosted, deploy, but ubuntu-24.04 was requested",
        ),
        (
            "it does not say where it was made",
            |record| record.environment.runner.clear(),
            "its runner is none, but ubuntu-24.04 was requested",
        ),
        // Its time.
        (
            "a date in the far future hides all later runs",
            |record| at(record, "9999-12-30T22:00:00Z", "9999-12-30T22:00:00Z"),
            "it is from the future: 9999-12-30T22:00:00Z, and now it is 2026-11-21T12:00:00Z",
        ),
        (
            "only its end is in the future",
            |record| record.finished_at = "2026-11-21T12:05:00Z".parse().unwrap(),
            "it is from the future: 2026-11-21T12:05:00Z, and now it is 2026-11-21T12:00:00Z",
        ),
        (
            "an old record is handed in once more",
            |record| at(record, "2026-11-14T11:00:00Z", "2026-11-14T11:42:30Z"),
            "it began at 2026-11-14T11:00:00Z, before it was requested at 2026-11-21T10:30:00Z",
        ),
        // What was requested.
        (
            "a record of another lane",
            |record| record.lane = Lane::SelfHosted,
            "its lane is self-hosted, but hosted-x64 was requested",
        ),
        (
            "a smoke run instead of the weekly one",
            |record| record.profile = "smoke".into(),
            "its profile is smoke, but weekly was requested",
        ),
        (
            "the figures of another commit",
            |record| record.harness.commit = Some("c0ffee".into()),
            "its commit is c0ffee, but 3aeac8c0ffee3aeac8c0ffee3aeac8c0ffee3aea was requested",
        ),
        (
            "it does not name its commit",
            |record| record.harness.commit = None,
            "it names no commit, but 3aeac8c0ffee3aeac8c0ffee3aeac8c0ffee3aea was requested",
        ),
        (
            "files were changed before the build",
            |record| record.harness.dirty = Some(true),
            "its programs were built from changed files, and not from 3aeac8c0ffee3aeac8c0ffee3aeac8c0ffee3aea as it is",
        ),
        (
            "flags of whoever built it",
            |record| record.harness.foreign_settings = vec!["RUSTFLAGS=-Ctarget-cpu=native".into()],
            "its programs were not built as the repository says: RUSTFLAGS=-Ctarget-cpu=native",
        ),
        // Its apps.
        (
            "an app that we do not have",
            |record| record.apps[1].id = "best".into(),
            "there is no app best at its commit",
        ),
        (
            "a foreign link",
            |record| record.apps[1].link = "https://evil.example/".into(),
            "`link` of axum differs from the app at its commit",
        ),
        (
            "another name",
            |record| record.apps[1].name = "axum, the fastest".into(),
            "`name` of axum differs from the app at its commit",
        ),
        (
            "a framework that calls itself the reference",
            |record| record.apps[1].role = model::Role::Reference,
            "`role` of axum differs from the app at its commit",
        ),
        (
            "sources that are not the commit's",
            |record| record.apps[1].source_hash = "00".repeat(32),
            "`source_hash` of axum differs from the app at its commit",
        ),
        // Figures that cannot all be true.
        (
            "many connections requested, and figures for few",
            |record| record.scenarios[0].connections = 500,
            "actix-web in plaintext, round 1: 64.0 requests in flight",
        ),
        (
            "few connections requested, and figures for many",
            |record| record.scenarios[0].connections = 8,
            "actix-web in plaintext, round 1: 64.0 requests in flight",
        ),
        (
            "a p99 below the median",
            |record| {
                for trial in &mut record.trials {
                    trial.latency_ms.as_mut().unwrap().p99 = 0.0;
                }
            },
            "actix-web in plaintext, round 1: latencies from ",
        ),
        (
            "of a machine that could not measure",
            |record| {
                record.summary.iter_mut().for_each(|cell| {
                    (cell.verdict, cell.reasons) = (model::Verdict::EnvironmentFailed, vec!["the disk is full".into()]);
                    cell.metrics.clear();
                });
            },
            "it is no result: ",
        ),
        (
            "without reference and ceiling",
            |record| {
                let of_anchors = |cell: &&mut model::Cell| ["reference", "ceiling"].contains(&&*cell.app);
                record
                    .summary
                    .iter_mut()
                    .filter(of_anchors)
                    .for_each(|cell| cell.metrics.clear());
            },
            "it is no result: reference and ceiling failed in 2 of 2 scenarios",
        ),
    ];
    for (attack, change, line) in attacks {
        let mut record = samples::sensible();
        change(&mut record);
        let found = findings(&record, &requested());
        assert!(
            found.iter().any(|found| found.starts_with(line)),
            "{attack}: {found:#?}"
        );
    }
}
