//! Records that are not what was requested, each as a change of a good one, and the line that refuses it. Others are refused by `bench publish`
//! in `bench/tests/files/errors.rs`.

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
fn what_was_not_requested_is_refused_by_name() {
    assert_eq!(findings(&samples::sensible(), &requested()), [""; 0]);
    let attacks: [(&str, Attack, &str); 9] = [
        // Its runner, by which next week's run may request a machine.
        (
            "next week's run is sent to another machine of the project",
            |record| record.environment.runner = vec!["self-hosted".into(), "deploy".into()],
            "its runner is self-hosted, deploy, but ubuntu-24.04 was requested",
        ),
        // Its time.
        (
            "only its end is in the future",
            |record| record.finished_at = "2026-11-21T12:05:00Z".parse().unwrap(),
            "it is from the future: 2026-11-21T12:05:00Z, and now it is 2026-11-21T12:00:00Z",
        ),
        // What was requested.
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
            "another name",
            |record| record.apps[1].name = "axum, the fastest".into(),
            "`name` of axum differs from the app at its commit",
        ),
        // Figures that cannot all be true.
        (
            "many connections requested, and figures for few",
            |record| record.scenarios[0].connections = 500,
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
