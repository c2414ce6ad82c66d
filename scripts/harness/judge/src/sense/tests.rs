//! Attacks on a lane by a record, each as a change of a good one, and the line that refuses it.

use std::fs;
use std::path::Path;

use record::{Interval, Rank};

use super::*;
use crate::rounding::{COMPARED, rounded, significant};
use crate::{analysis, reading, sample};

const COMMIT: &str = "3aeac8c0ffee3aeac8c0ffee3aeac8c0ffee3aea";

/// What was asked for when the good record was made.
fn asked() -> Expected {
    Expected {
        now: "2026-11-21T12:00:00Z".parse().unwrap(),
        since: Some("2026-11-21T10:30:00Z".parse().unwrap()),
        lane: Some(Lane::HostedX64),
        profile: Some("weekly".into()),
        runner: Some(vec!["ubuntu-24.04".into()]),
        commit: Some(COMMIT.into()),
        apps: Some(sample::sensible().apps),
    }
}

/// A run that began at this time, with an id to match.
fn at(record: &mut Record, began: &str, ended: &str) {
    (record.started_at, record.finished_at) = (began.parse().unwrap(), ended.parse().unwrap());
    record.id = record::run_id(record.started_at, record.seed);
    for trial in &mut record.trials {
        trial.started_at = record.started_at;
    }
}

/// The summary of trials that were changed.
fn sum_up(record: &mut Record) {
    record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
}

/// The figures of the second app, which is not alone in anything, in plaintext.
fn axum(record: &mut Record) -> &mut record::Summary {
    let cell = record.summary.iter_mut().find(|cell| cell.app == "axum").unwrap();
    cell.metrics.get_mut(&record::Metric::GoodputRps).unwrap()
}

type Attack = fn(&mut Record);

#[test]
#[allow(clippy::too_many_lines)] // a list of attacks
fn what_contradicts_itself_or_was_not_asked_for_is_refused_by_name() {
    assert_eq!(findings(&sample::sensible(), &asked()), [""; 0]);
    let attacks: [(&str, Attack, &str); 41] = [
        // Its runner, by which next week's run may ask for a machine.
        (
            "next week's run is sent to another machine of the project",
            |record| record.environment.runner = vec!["self-hosted".into(), "deploy".into()],
            "its runner is self-hosted, deploy, and ubuntu-24.04 was asked for",
        ),
        (
            "it does not say where it was made",
            |record| record.environment.runner.clear(),
            "its runner is none, and ubuntu-24.04 was asked for",
        ),
        // Its time.
        (
            "a date in the far future hides all later runs",
            |record| at(record, "9999-12-30T22:00:00Z", "9999-12-30T22:00:00Z"),
            "it is of the future: 9999-12-30T22:00:00Z, and now it is 2026-11-21T12:00:00Z",
        ),
        (
            "only its end is in the future",
            |record| record.finished_at = "2026-11-21T12:05:00Z".parse().unwrap(),
            "it is of the future: 2026-11-21T12:05:00Z, and now it is 2026-11-21T12:00:00Z",
        ),
        (
            "an old record is handed in once more",
            |record| at(record, "2026-11-14T11:00:00Z", "2026-11-14T11:42:30Z"),
            "it began at 2026-11-14T11:00:00Z, before it was asked for at 2026-11-21T10:30:00Z",
        ),
        (
            "it ends before it starts",
            |record| record.finished_at = "2026-11-21T10:59:00Z".parse().unwrap(),
            "it ended at 2026-11-21T10:59:00Z, before it began at 2026-11-21T11:00:00Z",
        ),
        (
            "its id is of another time, in whose order it is listed",
            |record| record.id = "99991230T220000Z-2a".into(),
            "its id is 99991230T220000Z-2a, and by its start and seed it would be 20261121T110000Z-2a",
        ),
        (
            "its id is of another seed",
            |record| record.seed = 43,
            "its id is 20261121T110000Z-2a, and by its start and seed it would be 20261121T110000Z-2b",
        ),
        (
            "a trial of another day",
            |record| record.trials[6].started_at = "2026-11-20T11:00:00Z".parse().unwrap(),
            "trial 7 was started at 2026-11-20T11:00:00Z, which is not within the run",
        ),
        // What was asked for.
        (
            "a record of another lane",
            |record| record.lane = Lane::SelfHosted,
            "it is of lane self-hosted, and hosted-x64 was asked for",
        ),
        (
            "a smoke run instead of the weekly one",
            |record| record.profile = "smoke".into(),
            "it is of profile smoke, and weekly was asked for",
        ),
        (
            "the figures of another commit",
            |record| record.harness.commit = Some("c0ffee".into()),
            "it is of commit c0ffee, and 3aeac8c0ffee3aeac8c0ffee3aeac8c0ffee3aea was asked for",
        ),
        (
            "it does not say of which commit it is",
            |record| record.harness.commit = None,
            "it names no commit, and 3aeac8c0ffee3aeac8c0ffee3aeac8c0ffee3aea was asked for",
        ),
        (
            "files were changed before the build",
            |record| record.harness.dirty = Some(true),
            "its programs were built from changed files, and not from 3aeac8c0ffee3aeac8c0ffee3aeac8c0ffee3aea as it is",
        ),
        // Its apps.
        (
            "an app that we do not have",
            |record| {
                record.apps[1].id = "best".into();
                record
                    .trials
                    .iter_mut()
                    .filter(|trial| trial.app == "axum" && trial.variant == "default")
                    .for_each(|trial| {
                        trial.app = "best".into();
                    });
                sum_up(record);
            },
            "there is no app best at its commit",
        ),
        (
            "a link that runs a script",
            |record| record.apps[1].link = "javascript:alert(1)".into(),
            "axum links to \"javascript:alert(1)\", which is no https address",
        ),
        (
            "a link that hides its host",
            |record| record.apps[1].link = "https://github.com@evil.example/".into(),
            "axum links to \"https://github.com@evil.example/\", which is no https address",
        ),
        (
            "a foreign link",
            |record| record.apps[1].link = "https://evil.example/".into(),
            "`link` of axum is not that of the app at its commit",
        ),
        (
            "another name",
            |record| record.apps[1].name = "axum, the fastest".into(),
            "`name` of axum is not that of the app at its commit",
        ),
        (
            "a framework that calls itself the reference",
            |record| {
                record.apps[1].role = record::Role::Reference;
                sum_up(record);
            },
            "`role` of axum is not that of the app at its commit",
        ),
        (
            "sources that are not those of the commit",
            |record| record.apps[1].source_hash = "00".repeat(32),
            "`source_hash` of axum is not that of the app at its commit",
        ),
        // What is there twice, or missing.
        (
            "the same app twice",
            |record| record.apps.push(record.apps[1].clone()),
            "axum is there twice",
        ),
        (
            "the same scenario twice",
            |record| record.scenarios.push(record.scenarios[1].clone()),
            "scenario json is there twice",
        ),
        (
            "the same trial twice",
            |record| {
                let mut again = record.trials[0].clone();
                again.order = u32::try_from(record.trials.len()).unwrap() + 1;
                record.trials.push(again);
            },
            "round 1 of actix-web in plaintext is there twice",
        ),
        (
            "the same cell twice",
            |record| record.summary.push(record.summary[2].clone()),
            "the summary has axum in plaintext twice",
        ),
        (
            "a bad round is left out",
            |record| {
                let out = record
                    .trials
                    .iter()
                    .position(|trial| trial.round == 3 && trial.app == "axum");
                record.trials.remove(out.unwrap());
                for (trial, order) in record.trials.iter_mut().zip(1..) {
                    trial.order = order;
                }
                sum_up(record);
            },
            "axum in plaintext has round 4 where round 3 is missing",
        ),
        (
            "the bad first attempt of a round is left out",
            |record| {
                let of_round = |trial: &&mut record::Trial| trial.round == 3 && trial.scenario == "json";
                record
                    .trials
                    .iter_mut()
                    .filter(of_round)
                    .for_each(|trial| trial.attempt = 2);
                sum_up(record);
            },
            "round 3 of json has attempt 2 where attempt 1 is missing",
        ),
        (
            "the last rounds are left out",
            |record| {
                record.trials.retain(|trial| trial.round < 5);
                sum_up(record);
            },
            "axum in plaintext has 4 of 5 rounds, and the run says that all are done",
        ),
        (
            "trials in another order",
            |record| record.trials.swap(3, 4),
            "trial 4 says that it is trial 5",
        ),
        (
            "a load that nobody can make",
            |record| record.scenarios[0].seconds = 1e300,
            "scenario plaintext: its `seconds` is of no load that can be made",
        ),
        // Its figures.
        (
            "an interval with its ends the wrong way round",
            |record| {
                let Interval { low, high } = axum(record).interval.unwrap();
                axum(record).interval = Some(Interval { low: high, high: low });
            },
            "`goodput_rps` of axum in plaintext is ",
        ),
        (
            "a ratio outside of its interval",
            |record| axum(record).ratio.as_mut().unwrap().estimate = 9.0,
            "`goodput_rps` of axum in plaintext has the ratio 9, outside of its interval from ",
        ),
        (
            "ranks of nobody",
            |record| axum(record).rank = Some(Rank { best: 3, worst: 1 }),
            "`goodput_rps` of axum in plaintext has the ranks from 3 to 1",
        ),
        (
            "latencies that fall from percentile to percentile",
            |record| record.trials[2].latency_ms.as_mut().unwrap().p99 = 0.01,
            "the latencies of trial 3 are not in order",
        ),
        // A summary that its trials do not give.
        (
            "a better median",
            |record| {
                let summary = axum(record);
                summary.median = summary.interval.unwrap().high;
            },
            "`goodput_rps` of axum in plaintext has the median 158428.",
        ),
        (
            "a narrower interval",
            |record| {
                let summary = axum(record);
                summary.interval = Some(Interval {
                    low: summary.median,
                    high: summary.median,
                });
            },
            "`goodput_rps` of axum in plaintext has the interval.low ",
        ),
        (
            "the first rank",
            |record| axum(record).rank = Some(Rank { best: 1, worst: 1 }),
            "`goodput_rps` of axum in plaintext has the rank 1, and its trials give ",
        ),
        (
            "a figure that is trusted although it is not",
            |record| axum(record).trusted = false,
            "`goodput_rps` of axum in plaintext has the trusted false, and its trials give true",
        ),
        (
            "a server that crashed is fine",
            |record| {
                record.trials[1].verdict = record::Verdict::Crashed;
                record.trials[1].reasons = vec!["it died".into()];
            },
            "axum in plaintext is valid in the summary, and crashed (it died; so in 1 of 5 trials) by its trials",
        ),
        (
            "a cell is left out",
            |record| drop(record.summary.remove(2)),
            "its summary lacks axum in plaintext",
        ),
        (
            "a cell of what was not measured",
            |record| {
                record
                    .trials
                    .retain(|trial| trial.app != "hyper" || trial.scenario != "json");
                for (trial, order) in record.trials.iter_mut().zip(1..) {
                    trial.order = order;
                }
            },
            "its summary has hyper in json, which was not measured",
        ),
    ];
    for (attack, change, line) in attacks {
        let mut record = sample::sensible();
        change(&mut record);
        let found = findings(&record, &asked());
        assert!(
            found.iter().any(|found| found.starts_with(line)),
            "{attack}: {found:#?}"
        );
    }
}

#[test]
fn a_million_contradictions_are_a_screen() {
    let mut record = sample::sensible();
    for trial in &mut record.trials {
        trial.latency_ms.as_mut().unwrap().p99 = 0.01;
    }
    let found = findings(&record, &asked());
    assert_eq!(found.len(), MOST + 1);
    assert_eq!(found[MOST], "and 50 more like these");
}

#[test]
fn what_was_published_before_may_be_published_again() {
    assert_eq!(findings(&rounded(sample::sensible()), &asked()), [""; 0]);
    let mut forged = rounded(sample::sensible());
    axum(&mut forged).median = significant(axum(&mut forged).median * 1.02, COMPARED);
    assert_eq!(findings(&forged, &asked()).len(), 1);
}

#[test]
fn records_that_were_measured_make_sense_with_all_their_digits_and_with_fewer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../bench-results");
    let mut paths = record::store::all(&folder);
    // Those that the documentation cites, of other profiles, of parts and of made programs.
    for kind in ["drivers", "first-look", "keep-alive", "layout"] {
        let files = fs::read_dir(folder.join("local").join(kind)).unwrap();
        paths.extend(files.map(|file| file.unwrap().path()));
    }
    assert!(paths.len() >= 7, "{paths:?}");
    for path in paths {
        let record = reading::read(&path).unwrap();
        let nothing = Expected::anything(record.finished_at);
        assert_eq!(findings(&record, &nothing), [""; 0], "{}", path.display());
        assert_eq!(findings(&rounded(record), &nothing), [""; 0], "{}", path.display());
    }
}
