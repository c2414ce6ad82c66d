//! What is said of a lane from its records, `bench history`, which chooses them and judges a
//! lane for its issue.

use std::fmt::Write as _;
use std::fs;

use analyze::analysis::summary;
use analyze::history::{HistoryReport, NoLockfiles, Timeline, judge};
use analyze::reading;
use jiff::{SignedDuration, Timestamp};
use model::{Lane, Record, Role, Trial, Verdict, WEEKLY, run_id, store};
use report::{history_alarm, history_markdown, history_news, history_state};
use serde_json::json;
use tempfile::TempDir;

use crate::files::command::{bench, root};

const STATE: &str = "hosted-x64, whole runs of weekly, worse: axum";

/// A committed record of servers that work alone: CPU time in two scenarios. Not the newest, which may be the reader's own.
fn record() -> Record {
    let path = root().join("bench-results/local/sessions/20261126T075437Z-9e1c.json.gz");
    let mut record = reading::read(&path).unwrap();
    record.scenarios.truncate(2);
    let mut number = 0;
    record.apps.retain(|app| {
        number += 1;
        number <= 10 || app.role != Role::Framework || app.id == "rocket"
    });
    let Record {
        apps,
        scenarios,
        trials,
        ..
    } = &mut record;
    trials.retain(|trial| {
        apps.iter().any(|app| app.id == trial.app) && scenarios.iter().any(|scenario| scenario.id == trial.scenario)
    });
    for trial in trials {
        (trial.verdict, trial.goodput_rps, trial.rss_bytes, trial.latency_ms) = (Verdict::Valid, None, None, None);
        trial.reasons.clear();
        trial.slices = None; // figures would follow from them
    }
    scale(&mut record, |_, _| 1.0);
    (record.lane, record.profile) = (Lane::HostedX64, WEEKLY.to_owned());
    record
}

fn begun_at(record: &mut Record, at: Timestamp) {
    (record.started_at, record.finished_at) = (at, at);
    record.id = run_id(at, 1);
}

/// Multiplies the CPU time of each cell by a factor, which depends on its number and app.
fn scale(record: &mut Record, factor: impl Fn(u32, &str) -> f64) {
    for (number, cell) in (0..).zip(&record.summary) {
        let of_cell = |trial: &&mut Trial| {
            (&trial.app, &trial.variant, &trial.scenario) == (&cell.app, &cell.variant, &cell.scenario)
        };
        for trial in record.trials.iter_mut().filter(of_cell) {
            trial.server_cpu_us_per_request = trial
                .server_cpu_us_per_request
                .map(|cpu| cpu * factor(number, &cell.app));
        }
    }
    record.summary = summary(&record.apps, &record.scenarios, &record.trials);
}

/// Weekly records. In week 20 axum's CPU time per request becomes a third higher, in every scenario, and its dependencies move.
fn weeks(count: u32) -> Vec<Record> {
    let (like, start) = (record(), "2026-01-05T00:23:00Z".parse::<Timestamp>().unwrap());
    let week = |week: u32| {
        let mut record = like.clone();
        begun_at(
            &mut record,
            start + SignedDuration::from_hours(24 * 7 * i64::from(week)),
        );
        let shared = 1.0 + 0.1 * f64::from((week * 5) % 7);
        scale(&mut record, |number, app| {
            let own = 1.0 + 0.002 * f64::from((week * 7 + number * 13) % 11);
            let step = if app == "axum" && week >= 20 { 4.0 / 3.0 } else { 1.0 };
            shared * own * step
        });
        for app in record.apps.iter_mut().filter(|app| app.id == "axum" && week >= 20) {
            app.lockfile_hash = "0".repeat(64);
        }
        record
    };
    (0..count).map(week).collect()
}

fn judged(records: &[Record]) -> HistoryReport {
    judge(&Timeline::from_records(records), &NoLockfiles)
}

/// Results with these records.
fn written(records: &[Record]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for record in records {
        store::write(folder.path(), record).unwrap();
    }
    folder
}

#[test]
fn who_changed_when_and_what_else_was_different() {
    let weeks = weeks(24);
    let story = judged(&weeks);
    assert!(!story.changes.is_empty());
    for change in &story.changes {
        assert_eq!(
            (change.app.as_str(), &change.run),
            ("axum", &weeks[20].id),
            "{change:#?}"
        );
        assert!((0.28..0.39).contains(&change.size), "{change:#?}");
        assert_eq!(json!(change.causes[0].kind), "dependency", "{change:#?}");
    }
    let text = history_markdown(&story);
    assert!(
        text.contains("**regression**") && text.contains("24 runs, profile weekly"),
        "{text}"
    );
    assert_eq!(history_state(&story), STATE);
    assert!(history_alarm(&story).unwrap().contains("became worse"));
    assert_eq!(history_alarm(&judged(&weeks[..20])), None);
    let news = |runs: usize| history_news(&judged(&weeks[..runs]).without(&judged(&weeks[..runs - 1])));
    assert!(news(24).contains("No lasting change"));
    assert!(news(22).contains("regression"));

    let mut elsewhere = weeks[..20].to_vec();
    elsewhere[19].environment.cpu_model = "another cpu".into();
    let news = history_news(&judged(&elsewhere).without(&judged(&elsewhere[..19])));
    assert!(
        news.contains("over 20 runs on 2 kinds of machine, each judged by itself."),
        "{news}"
    );
}

/// From week `from` on, each run of a lane is also made on `ubuntu-26.04`, an hour later, where all takes more: the apps by 5 % and each
/// by a little of its own, and the reference by 12 %.
fn on_another_runner(weeks: Vec<Record>, from: usize) -> Vec<Record> {
    let on = |record: &mut Record, label: &str, system: &str| {
        record.environment.runner = vec![label.to_owned()];
        system.clone_into(&mut record.environment.os);
    };
    let mut both = Vec::new();
    for (week, mut old) in weeks.into_iter().enumerate() {
        on(&mut old, "ubuntu-24.04", "Ubuntu 24.04.3 LTS");
        let mut new = old.clone();
        both.push(old);
        if week < from {
            continue;
        }
        let at = new.started_at + SignedDuration::from_hours(1);
        begun_at(&mut new, at);
        on(&mut new, "ubuntu-26.04", "Ubuntu 26.04 LTS");
        scale(&mut new, |number, app| {
            if app == "reference" {
                1.12
            } else {
                1.05 + 0.01 * f64::from(number % 5)
            }
        });
        both.push(new);
    }
    both
}

#[test]
fn a_lane_begins_again_on_another_runner() {
    let report = judged(&on_another_runner(weeks(24), 21));
    let text = history_markdown(&report);
    let line = text.lines().find(|line| line.starts_with("- From ")).unwrap();
    assert_eq!(
        line,
        "- From 2026-06-01 on ubuntu-26.04: every figure begins again there, and a step from ubuntu-24.04 is no change."
    );
    assert_eq!(history_state(&report), STATE, "nobody but axum, which changed before");
}

#[test]
fn a_csv_file_is_read_by_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "date,app,scenario,metric,value,allocator\n".to_owned();
    for week in 0..30_u8 {
        let day = jiff::civil::date(2026, 1, 5).saturating_add(SignedDuration::from_hours(24 * 7 * i64::from(week)));
        for app in ["one", "two", "three", "four"] {
            let new = app == "two" && week >= 15;
            let value =
                (100.0 + f64::from((week * 3 + u8::try_from(app.len()).unwrap()) % 5)) * if new { 0.8 } else { 1.0 };
            let allocator = if new { "mimalloc" } else { "system" };
            writeln!(text, "{day},{app},plaintext,goodput_rps,{value},{allocator}").unwrap();
        }
    }
    fs::write(folder.path().join("figures.csv"), text).unwrap();
    let output = bench(folder.path(), "history --csv figures.csv --format json").fine();
    let story = output.json();
    let unsure = "no line has the role `reference`, so a change is better or worse, and raises an alarm, only where its app alone was built";
    assert!(output.stderr.starts_with(unsure), "{}", output.stderr);
    let [change] = story["changes"].as_array().unwrap().as_slice() else {
        panic!("one change: {story:#}")
    };
    assert_eq!((&change["app"], &change["run"]), (&json!("two"), &json!("2026-04-20")));
    assert_eq!(change["verdict"], "regression", "fewer answers are worse");
    assert_eq!(
        (&change["causes"][0]["name"], &change["causes"][0]["after"]),
        (&json!("allocator"), &json!("mimalloc"))
    );
}

/// A run after all others, on which nobody is worse.
fn more(change: impl FnOnce(&mut Record)) -> Record {
    let mut record = record();
    begun_at(&mut record, "2026-12-31T00:23:00Z".parse().unwrap());
    change(&mut record);
    record
}

/// A lane in which axum is worse, and after that a partial run, one of another profile, and one of the future.
fn muddled() -> TempDir {
    let mut records = weeks(24);
    records.push(more(|record| record.harness.whole = false));
    records.push(more(|record| {
        "smoke".clone_into(&mut record.profile);
        record.id = run_id(record.started_at, 2);
    }));
    let far = "9999-12-30T22:00:00Z".parse().unwrap();
    records.push(more(|record| begun_at(record, far)));
    written(&records)
}

#[test]
fn a_run_of_another_profile_of_a_part_or_of_the_future_mutes_no_lane() {
    let output = bench(muddled().path(), "history --results . --format state").fine();
    assert_eq!(output.stdout.trim_end(), STATE);
    assert_eq!(
        output.stderr,
        "left out: 99991230T220000Z-1 of lane hosted-x64 is from the future; now it is 2027-01-01T00:00:00Z\n"
    );
}

#[test]
fn the_alarm_of_a_lane_is_its_exit_status_too() {
    let results = muddled();
    let output = bench(results.path(), "history --results . --profile weekly --format alarm");
    assert_eq!(output.status, Some(1), "{output:#?}");
    assert!(output.stdout.contains("became worse"), "{output:#?}");
}

#[test]
fn a_profile_without_a_run_has_no_state() {
    let results = muddled();
    let line = "history --results . --profile stress --format state";
    assert_eq!(bench(results.path(), line).fine().stdout, "");
}

#[test]
fn only_changes_of_the_named_apps_are_reported() {
    let results = written(&weeks(24));
    let line = "history --results . --app rocket --format state";
    assert_eq!(bench(results.path(), line).fine().stdout, "");
}
