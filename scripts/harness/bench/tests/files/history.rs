//! `bench history` on records and CSV files, and `.github/scripts/history.sh`, which judges a lane for its issue.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::CommandOutput;
use crate::github::world::World;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

const CPU: &str = "server_cpu_us_per_request";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../..")
        .canonicalize()
        .unwrap()
}

fn history(arguments: &[&str]) -> CommandOutput {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command
        .args(["--now", "2027-01-01T00:00:00Z", "history"])
        .args(arguments)
        .env("BENCH_ROOT", root())
        .stdin(Stdio::null());
    command.env_remove("GITHUB_ACTIONS");
    CommandOutput::run(command)
}

/// The newest record of this repository with servers that work alone, without its trials.
fn record() -> Value {
    let entries = fs::read_dir(root().join("bench-results/local")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with("20"));
    paths.sort();
    let read = |path: &PathBuf| -> Value { serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap() };
    let has_axum = |record: &Value| record["apps"].as_array().unwrap().iter().any(|app| app["id"] == "axum");
    let mut record = paths.iter().rev().map(read).find(has_axum).unwrap();
    // Of older records the summary is made again from the trials, and these have none.
    record["schema_version"] = json!(3);
    let cells = record["summary"].as_array_mut().unwrap().iter_mut();
    for figure in cells.flat_map(|cell| cell["metrics"].as_object_mut().unwrap().values_mut()) {
        figure.as_object_mut().unwrap().remove("rank_tier");
        figure["ratio"] = json!(null);
    }
    record["trials"] = json!([]);
    record["lane"] = json!("hosted-x64");
    record["profile"] = json!("weekly");
    record
}

/// Weekly records in a folder of results. In week 20 axum's CPU time per request becomes a third higher, in every scenario, and its
/// dependencies move.
fn weeks(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lane = folder.path().join("hosted-x64");
    fs::create_dir(&lane).unwrap();
    let (record, start) = (record(), "2026-01-05T00:23:00Z".parse::<Timestamp>().unwrap());
    for week in 0..count {
        let mut record = record.clone();
        let at = start + SignedDuration::from_hours(24 * 7 * i64::try_from(week).unwrap());
        let id = at.strftime("%Y%m%dT%H%M%SZ-1").to_string();
        (record["id"], record["started_at"], record["finished_at"]) = (json!(id), json!(at), json!(at));
        let shared = 1.0 + 0.1 * ((week * 5) % 7) as f64;
        for (number, cell) in record["summary"].as_array_mut().unwrap().iter_mut().enumerate() {
            let is_axum = cell["app"] == "axum" && week >= 20;
            let Some(figure) = cell["metrics"].get_mut(CPU) else {
                continue;
            };
            let own = 1.0 + 0.002 * ((week * 7 + number * 13) % 11) as f64;
            let factor = shared * own * if is_axum { 4.0 / 3.0 } else { 1.0 };
            figure["median"] = json!(figure["median"].as_f64().unwrap() * factor);
            figure["trusted"] = json!(true);
        }
        let apps = record["apps"].as_array_mut().unwrap().iter_mut();
        for app in apps.filter(|app| app["id"] == "axum" && week >= 20) {
            app["lockfile_hash"] = json!("0".repeat(64));
        }
        fs::write(lane.join(format!("{id}.json")), record.to_string()).unwrap();
    }
    folder
}

#[test]
fn a_lane_tells_who_changed_when_and_what_else_was_different() {
    let results = weeks(24);
    let folder = results.path().to_str().unwrap();
    let told = history(&["--results", folder, "--metric", CPU, "--format", "json"]).fine();
    let story: Value = serde_json::from_str(&told.stdout).unwrap();
    let changes = story["changes"].as_array().unwrap();
    assert!(!changes.is_empty());
    for change in changes {
        assert_eq!(
            (&change["app"], &change["run"]),
            (&json!("axum"), &json!("20260525T002300Z-1")),
            "{change:#}"
        );
        assert!((0.28..0.39).contains(&change["size"].as_f64().unwrap()), "{change:#}");
        assert_eq!(change["causes"][0]["kind"], "dependency", "{change:#}");
    }
    let told = history(&["--results", folder, "--app", "axum"]).fine();
    assert!(
        told.stdout.contains("**regression**") && told.stdout.contains("24 runs, profile weekly"),
        "{told:#?}"
    );

    assert_eq!(history(&["--results", folder, "--format", "alarm"]).status, Some(1));
    assert_eq!(
        history(&["--results", folder, "--format", "state"]).fine().stdout,
        "hosted-x64, whole runs of weekly, worse: axum\n"
    );
    let news = |weeks: &tempfile::TempDir| {
        history(&["--results", weeks.path().to_str().unwrap(), "--format", "news"])
            .fine()
            .stdout
    };
    assert!(news(&results).contains("Nothing new moved"));
    assert!(news(&weeks(22)).contains("regression"));
    let early = weeks(20);
    let alarm = history(&["--results", early.path().to_str().unwrap(), "--format", "alarm"]);
    assert_eq!(alarm.fine().stdout, "");
}

/// From week `from` on, each run of a lane is also made on `ubuntu-26.04`, an hour later, where all takes more: the apps by 5 % and each
/// by a little of its own, and the reference by 12 %.
fn on_another_runner(results: &tempfile::TempDir, from: usize, change: impl Fn(&mut Value)) {
    let lane = results.path().join("hosted-x64");
    let mut paths: Vec<PathBuf> = fs::read_dir(&lane)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for (week, path) in paths.iter().enumerate() {
        let mut record: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        record["environment"]["runner"] = json!(["ubuntu-24.04"]);
        record["environment"]["os"] = json!("Ubuntu 24.04.3 LTS");
        fs::write(path, record.to_string()).unwrap();
        if week < from {
            continue;
        }
        let at: Timestamp = record["started_at"].as_str().unwrap().parse().unwrap();
        let at = at + SignedDuration::from_hours(1);
        let id = at.strftime("%Y%m%dT%H%M%SZ-1").to_string();
        (record["id"], record["started_at"], record["finished_at"]) = (json!(id), json!(at), json!(at));
        record["environment"]["runner"] = json!(["ubuntu-26.04"]);
        record["environment"]["os"] = json!("Ubuntu 26.04 LTS");
        for (number, cell) in record["summary"].as_array_mut().unwrap().iter_mut().enumerate() {
            let factor = if cell["app"] == "reference" {
                1.12
            } else {
                1.05 + 0.01 * (number % 5) as f64
            };
            if let Some(figure) = cell["metrics"].get_mut(CPU) {
                figure["median"] = json!(figure["median"].as_f64().unwrap() * factor);
            }
        }
        change(&mut record);
        fs::write(lane.join(format!("{id}.json")), record.to_string()).unwrap();
    }
}

#[test]
fn a_lane_goes_on_on_another_runner_by_the_runs_that_both_made() {
    let told = |change: fn(&mut Value)| {
        let results = weeks(24);
        on_another_runner(&results, 21, change);
        let folder = results.path().to_str().unwrap();
        let text = history(&["--results", folder]).fine().stdout;
        let line = text
            .lines()
            .find(|line| line.starts_with("- From "))
            .unwrap()
            .to_owned();
        let state = history(&["--results", folder, "--format", "state"]).fine().stdout;
        (line, state)
    };
    let axum = "hosted-x64, whole runs of weekly, worse: axum\n";
    let (line, state) = told(|_| ());
    let (joint, figures) = line.split_once(" runs that both saw: ").unwrap();
    assert_eq!(
        joint,
        "- From 2026-06-01 on ubuntu-26.04, joined with ubuntu-24.04 by 3"
    );
    let figures = figures.trim_end_matches('.').split("; ");
    let of_cpu = figures.last().unwrap();
    assert!(
        of_cpu.starts_with("CPU per request ±") && of_cpu.ends_with("(+7.0 % for the same commit)"),
        "the middle of what each app took: {of_cpu}"
    );
    assert_eq!(state, axum, "nobody but axum, which changed before");
    let (line, state) = told(|record| record["harness"]["commit"] = json!("0".repeat(40)));
    assert_eq!(
        line,
        "- From 2026-06-01 on ubuntu-26.04: no run of the same commit saw both it and ubuntu-24.04, so every figure begins again; a step \
         from one to the other is no change."
    );
    assert_eq!(state, axum);
}

#[test]
fn a_csv_file_is_read_by_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("figures.csv");
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
    fs::write(&path, text).unwrap();
    let told = history(&["--csv", path.to_str().unwrap(), "--format", "json"]).fine();
    let story: Value = serde_json::from_str(&told.stdout).unwrap();
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

#[test]
fn what_cannot_be_told_is_said_in_a_line() {
    let (none, results) = (tempfile::tempdir().unwrap(), weeks(2));
    let (none, some) = (none.path().to_str().unwrap(), results.path().to_str().unwrap());
    fs::write(results.path().join("broken.csv"), "date,app\n").unwrap();
    let csv = results.path().join("broken.csv");
    for (arguments, told) in [
        (vec!["--results", none], "there is no record in"),
        (
            vec!["--results", some, "--lane", "local"],
            "there is no record of lane local",
        ),
        (vec!["--results", some, "--profile", "weekli"], "did you mean `weekly`?"),
        (vec!["--results", some, "--app", "axun"], "did you mean `axum`?"),
        (vec!["--csv", csv.to_str().unwrap()], "it has no column `scenario`"),
        (vec!["--csv", "/nowhere.csv"], "cannot read /nowhere.csv"),
    ] {
        let failed = history(&arguments);
        assert_eq!(failed.status, Some(2), "{failed:#?}");
        assert!(
            failed.stderr.contains(told) && failed.stderr.lines().count() == 1,
            "{told}: {failed:#?}"
        );
    }
}

/// Adds a run to a lane after all others, on which nobody is worse.
fn add_run(results: &tempfile::TempDir, change: impl FnOnce(&mut Value)) {
    let mut record = record();
    let id = "20261231T002300Z-1";
    record["id"] = json!(id);
    record["started_at"] = json!("2026-12-31T00:23:00Z");
    record["finished_at"] = json!("2026-12-31T00:24:00Z");
    change(&mut record);
    let path = results.path().join(format!("hosted-x64/{id}.json"));
    fs::write(path, record.to_string()).unwrap();
}

#[test]
fn a_run_of_another_profile_or_of_a_part_mutes_no_lane() {
    let state = |results: &tempfile::TempDir, more: &[&str]| {
        let folder = results.path().to_str().unwrap();
        let arguments = [
            &["--results", folder, "--lane", "hosted-x64", "--format", "state"],
            more,
        ]
        .concat();
        history(&arguments).fine().stdout
    };
    let results = weeks(24);
    add_run(&results, |record| record["harness"]["whole"] = json!(false));
    assert_eq!(
        state(&results, &[]),
        "hosted-x64, whole runs of weekly, worse: axum\n",
        "a partial run is in no series"
    );
    add_run(&results, |record| record["profile"] = json!("smoke"));
    assert_eq!(
        state(&results, &["--profile", "weekly"]),
        "hosted-x64, whole runs of weekly, worse: axum\n"
    );
    assert_eq!(
        state(&results, &[]),
        "hosted-x64, whole runs of weekly, worse: axum\n",
        "a smoke run, made by hand, is not what the lane is about"
    );
    let far = "99991230T220000Z-1";
    let mut record = record();
    (record["id"], record["started_at"]) = (json!(far), json!("9999-12-30T22:00:00Z"));
    let path = results.path().join(format!("hosted-x64/{far}.json"));
    fs::write(path, record.to_string()).unwrap();
    let folder = results.path().to_str().unwrap();
    let told = history(&["--results", folder, "--format", "state"]).fine();
    assert_eq!(told.stdout, "hosted-x64, whole runs of weekly, worse: axum\n");
    assert_eq!(
        told.stderr,
        "left out: 99991230T220000Z-1 of lane hosted-x64 is of the future; now it is 2027-01-01T00:00:00Z\n"
    );
    assert_eq!(
        state(&results, &["--profile", "stress"]),
        "",
        "of which there is no run yet"
    );
}

#[test]
fn a_lane_has_one_issue_while_somebody_is_worse() {
    let world = World::new();
    let body = tempfile::NamedTempFile::new().unwrap();
    let body = body.path().to_str().unwrap();
    let keep = |data: &Path| {
        let mut command = Command::new(root().join(".github/scripts/history.sh"));
        command
            .args(["hosted-x64", data.to_str().unwrap(), body])
            .env("BENCH", env!("CARGO_BIN_EXE_bench"))
            .env("BENCH_ROOT", root())
            .env_remove("GITHUB_ACTIONS");
        let judged = CommandOutput::run(command).fine().stdout;
        // As lane.yml goes on.
        let told = match judged.trim_end().strip_prefix("state=").unwrap() {
            "" => world.issue("resolve", &[]),
            state => world.issue("open", &["Slower in hosted-x64", body, state, "performance"]),
        };
        told.fine().stdout
    };
    let (quiet, worse, later) = (weeks(20), weeks(24), weeks(25));
    assert_eq!(keep(quiet.path()), "audit: no issue is open\n");
    assert!(keep(worse.path()).ends_with("opened\n"));
    let issue = || world.get("issues")[0].clone();
    assert_eq!(issue()["title"], "Slower in hosted-x64");
    let body = issue()["body"].as_str().unwrap().to_owned();
    assert!(
        body.contains("state: hosted-x64, whole runs of weekly, worse: axum") && body.contains("became worse"),
        "{body}"
    );
    assert!(keep(worse.path()).ends_with("is up to date\n"));
    assert!(keep(later.path()).ends_with("brought up to date\n"));
    // A smoke test by hand closes nothing.
    add_run(&later, |record| record["profile"] = json!("smoke"));
    assert!(keep(later.path()).ends_with("is up to date\n"));
    assert!(keep(quiet.path()).ends_with("closed\n"));
    assert_eq!(issue()["state"], "closed");
}
