//! The folder that [`build`] makes, as its readers find it.

use std::collections::BTreeSet;

use analyze::analysis::Sessions;
use analyze::history::{HistoryReport, NoLockfiles};
use analyze::pair::Direct;
use analyze::reading;
use model::{Metric, Role, Trial, Verdict, store};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::publish::{Fact, add, prune};
use crate::{Links, Style};

/// A confirmed change and a suspected one, with names that mean harm.
pub fn changes() -> HistoryReport {
    let hostile = samples::HOSTILE_NAME;
    let change = json!({
        "app": "axum", "variant": "default", "scenario": "plaintext", "metric": "server_cpu_us_per_request",
        "run": "20261121T110000Z-2a", "started_at": "2026-11-21T11:00:00Z", "previous_run": "20261114T110000Z-1",
        "size": 0.12, "low": 0.08, "high": 0.16, "p": 0.0001, "runs_before": 30, "runs_after": 3,
        "verdict": "regression", "state": "confirmed", "confirmed_by": "20261128T110000Z-1",
        "causes": [{"kind": "dependency", "name": hostile, "before": "1.47.0", "after": "1.48.0",
                    "run": "20261121T110000Z-2a"}],
    });
    let mut suspected = change.clone();
    suspected["state"] = "suspected".into();
    suspected["confirmed_by"] = Value::Null;
    suspected["app"] = "rocket".into();
    let story = json!({
        "schema_version": 2, "lane": "hosted-x64", "profile": "weekly", "runs": 33, "judged": 720,
        "segments": [], "marks": [], "changes": [change, suspected], "common": [], "drifts": [],
    });
    serde_json::from_value(story).unwrap()
}

fn of_day(day: &str, change: impl FnOnce(&mut Record)) -> Record {
    let mut record = samples::sensible();
    record.id = format!("{}T120000Z-1", day.replace('-', ""));
    record.started_at = format!("{day}T12:00:00Z").parse().unwrap();
    change(&mut record);
    record
}

/// A checkout with these records, and the site that was made of it.
struct World {
    folder: TempDir,
    built: Built,
}

impl World {
    fn new(records: Vec<Record>) -> Self {
        Self::made_in(tempfile::tempdir().unwrap(), records, "this one")
    }

    /// The same, in a folder where something is.
    fn made_in(folder: TempDir, records: Vec<Record>, program: &str) -> Self {
        let runs = folder.path().join("pages").join(RUNS);
        let records = records.into_iter().chain([samples::probes()]);
        let facts = records.map(|record| Fact::of_record(&runs, record));
        add(&runs, &facts.collect::<Vec<_>>()).unwrap();
        let given = Given {
            program,
            now: "2027-01-01T00:00:00Z".parse().unwrap(),
            lockfiles: &NoLockfiles,
            site_url: None,
        };
        let built = build(&folder.path().join("pages"), &folder.path().join("out"), given).unwrap();
        Self { folder, built }
    }

    fn json(&self, path: &str) -> Value {
        let text = store::read_text(&self.folder.path().join("out").join(path), 1 << 30);
        serde_json::from_str(&text.unwrap_or_else(|error| panic!("{path}: {error}"))).unwrap()
    }

    /// What every file of the site contains, by its path.
    fn content(&self) -> BTreeMap<String, Vec<u8>> {
        let root = self.folder.path().join("out");
        let (mut folders, mut found) = (vec![root.clone()], BTreeMap::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let below = path.strip_prefix(&root).unwrap().display().to_string();
                    found.insert(below, fs::read(path).unwrap());
                }
            }
        }
        found
    }

    fn paths(&self) -> BTreeSet<String> {
        self.content().into_keys().collect()
    }
}

#[test]
fn everything_that_is_shown_is_there() {
    let world = World::new(vec![of_day("2026-11-14", |_| {})]);
    let lane = "data/hosted-x64";
    let badges = samples::sensible().apps;
    let badges = badges.iter().filter(|app| app.variant == "default");
    let mut expected = BTreeSet::from([
        "data/index.json".to_owned(),
        "data/kept.json".to_owned(),
        "data/probes/breaks.json".to_owned(),
        "data/probes/index.json".to_owned(),
        "data/releases.json".to_owned(),
        "feed.xml".to_owned(),
        "runs/hosted-x64/20261114T120000Z-1.json.gz".to_owned(),
        format!("runs/probes/{}.json.gz", samples::probes().id),
        format!("{lane}/changes/weekly.json"),
        format!("{lane}/forecasts.json"),
        format!("{lane}/newest.json.gz"),
        format!("{lane}/newest/weekly.json.gz"),
        format!("{lane}/runs/20261114T120000Z-1.json.gz"),
        format!("{lane}/summaries/20261114T120000Z-1.json.gz"),
    ]);
    expected.extend(badges.map(|app| format!("{lane}/badges/{}.json", app.id)));
    let apps = samples::sensible().apps;
    let frameworks = apps.iter().filter(|app| app.role == Role::Framework);
    expected.extend(frameworks.map(|app| format!("feed-{}.xml", app.id)));
    expected.extend(["", "/json", "/plaintext"].map(|name| format!("{lane}/series/weekly{name}.json")));
    assert_eq!(world.paths(), expected);
    assert_eq!(world.built.records, 2);
}

/// A run's ratios come from its own session until four are known, be they before it or after.
#[test]
fn a_run_says_how_many_sessions_are_behind_its_ratios() {
    let days = ["2026-11-07", "2026-11-14", "2026-11-21", "2026-11-28", "2026-12-05"];
    let world = World::new(days.map(|day| of_day(day, |_| {})).to_vec());
    let figures = world.json("data/hosted-x64/series/weekly/plaintext.json");
    let of = |metric: Metric| figures["metrics"][metric.id()]["sessions"].clone();
    assert_eq!(of(Metric::ServerCpuUsPerRequest), json!([5, 5, 5, 5, 5]));
    let forecasts = world.json("data/hosted-x64/forecasts.json");
    let forecasts = forecasts["forecasts"].as_array().unwrap();
    assert_eq!(forecasts.len(), 1, "of the last, by those before it");
    assert!(
        forecasts
            .iter()
            .all(|forecast| forecast["held"][2] == forecast["ratios"])
    );
}

#[test]
fn a_series_has_a_row_for_each_subject_and_a_place_for_each_run() {
    let world = World::new(vec![
        of_day("2026-11-14", |record| {
            for trial in record.trials.iter_mut().filter(|trial| trial.app == "axum") {
                trial.verdict = Verdict::ClientBound;
                trial.reasons = vec!["the load generator used 93 % of its cpus".into()];
            }
        }),
        of_day("2026-11-21", |record| {
            record.trials.retain(|trial| trial.app != "rocket");
            record.apps.retain(|app| app.id != "rocket");
            record.apps[1].framework_version = "0.8.8".into();
        }),
        of_day("2026-11-28", |record| {
            record.trials.retain(|trial| trial.scenario != "plaintext");
            record.scenarios.retain(|scenario| scenario.id != "plaintext");
        }),
    ]);
    let runs = world.json("data/hosted-x64/series/weekly.json");
    assert_eq!(runs["runs"].as_array().unwrap().len(), 3);
    assert_eq!(runs["versions"]["axum"][1], "0.8.8");
    assert_eq!(runs["versions"]["rocket"][1], Value::Null);
    let figures = world.json("data/hosted-x64/series/weekly/plaintext.json");
    assert_eq!(
        figures["runs"],
        json!(["20261114T120000Z-1", "20261121T120000Z-1"]),
        "those that measured it"
    );
    let subjects = figures["subjects"].as_array().unwrap();
    let row = |subject: &str| subjects.iter().position(|known| known == subject).unwrap();
    let of =
        |metric: Metric, matrix: &str, subject: &str| figures["metrics"][metric.id()][matrix][row(subject)].clone();
    let goodput = of(Metric::GoodputRps, "median", "rocket");
    assert!(goodput[0].is_f64() && goodput[1].is_null(), "{goodput}");
    assert_eq!(of(Metric::GoodputRps, "trusted", "axum")[0], 0);
    assert_eq!(
        of(Metric::GoodputRps, "low", "axum")[0],
        Value::Null,
        "what is not trusted has no interval"
    );
    assert!(figures["reasons"][row("axum")][0].as_str().unwrap().contains("93 %"));
    let newest = world.json("data/hosted-x64/runs/20261128T120000Z-1.json.gz");
    assert_eq!(newest["figures"][0]["runs"], json!(["20261128T120000Z-1"]));
    insta::assert_snapshot!(text(&newest["figures"]));
}

#[test]
fn what_releases_cost_is_one_document_of_all_lanes() {
    let versions = [
        ("0.8.9", "2026-04-14", Some(1250.0)),
        ("0.8.8", "2025-12-20", Some(1000.0)),
    ];
    let mut releases = samples::releases("2026-11-21", "axum", &versions);
    (releases.lane, releases.harness.whole) = (Lane::Local, false);
    let world = World::new(vec![of_day("2026-11-14", |_| {}), releases]);
    let found = world.json("data/releases.json");
    let newest = &found["crates"][0]["releases"][1];
    assert_eq!(
        (&newest["release"]["version"], &newest["counts"][0]["change"]),
        (&json!("0.8.9"), &json!(0.25))
    );
}

#[test]
fn a_run_of_another_kind_leaves_the_series_of_the_lane_as_it_is() {
    let weekly = || vec![of_day("2026-10-05", |_| {}), of_day("2026-11-02", |_| {})];
    let alone = World::new(weekly());
    let quick = of_day("2026-11-03", |record| record.profile = "quick".into());
    let partial = of_day("2026-12-04", partial);
    let both = World::new([weekly(), vec![quick, partial]].concat());
    for path in alone
        .paths()
        .iter()
        .filter(|path| path.contains("weekly") || path.contains("badges"))
    {
        assert_eq!(both.json(path), alone.json(path), "{path}");
    }
    let lane = &both.built.index.lanes[&Lane::HostedX64];
    assert_eq!(
        (&*lane.profile, lane.series["weekly"].runs, lane.series["quick"].runs),
        ("weekly", 2, 1)
    );
    assert_eq!(lane.series["weekly"].newest.id, "20261102T120000Z-1");
    let partial = lane.partial.as_ref().unwrap();
    assert_eq!((partial.runs, &*partial.newest[0].id), (1, "20261204T120000Z-1"));
    assert!(both.paths().contains("data/hosted-x64/runs/20261204T120000Z-1.json.gz"));
    insta::assert_snapshot!(text(&alone.built.index));
}

/// Of servers that were not built for release.
fn partial(record: &mut Record) {
    record.harness.whole = false;
    record.harness.cargo_profile = model::FIRST_LOOK.into();
}

/// Part of a profile that is complete for its scenarios, and a run of so few apps that it would hide the others.
#[test]
fn a_series_takes_a_run_that_is_complete_for_its_scenarios() {
    let only = |record: &mut Record, scenario: &str| {
        record.harness.whole = false;
        record.scenarios.retain(|known| known.id == scenario);
        record.trials.retain(|trial| trial.scenario == scenario);
    };
    let world = World::new(vec![
        of_day("2026-11-14", |record| only(record, "json")),
        of_day("2026-11-15", |record| only(record, "plaintext")),
        of_day("2026-11-16", |record| {
            record.harness.whole = false;
            let few = record.apps.len() / 2;
            record.apps.truncate(few);
            let is_kept = |trial: &Trial| record.app(&trial.app, &trial.variant).is_some();
            let trials = record.trials.iter().filter(|trial| is_kept(trial));
            record.trials = trials.cloned().collect();
        }),
    ]);
    let lane = &world.built.index.lanes[&Lane::HostedX64];
    assert_eq!(
        (lane.series["weekly"].runs, lane.partial.as_ref().unwrap().runs),
        (2, 1)
    );
    let newest = world.json("data/hosted-x64/newest/weekly.json.gz");
    let runs = newest["figures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|figures| &figures["runs"][0]);
    assert_eq!(runs.collect::<Vec<_>>(), ["20261114T120000Z-1", "20261115T120000Z-1"]);
    let rounds = newest["run"]["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["rounds"]);
    assert_eq!(rounds.collect::<Vec<_>>(), [5, 5]);
}

/// What the page computes from a quotient and its half width is what the ranks were decided by.
#[test]
fn the_interval_of_two_apps_is_that_of_their_difference() {
    let record = of_day("2026-11-14", |_| {});
    let world = World::new(vec![record.clone()]);
    let run = world.json("data/hosted-x64/newest/weekly.json.gz");
    let figures = run["figures"].as_array().unwrap();
    let figures = figures
        .iter()
        .find(|figures| figures["scenario"] == "plaintext")
        .unwrap();
    let subjects = figures["subjects"].as_array().unwrap();
    let row = |subject: &str| subjects.iter().position(|known| known == subject).unwrap();
    let metric = Metric::ServerCpuUsPerRequest;
    let (actix, axum) = (row("actix-web"), row("axum"));
    let found = &figures["metrics"][metric.id()]["pair_half_widths"][axum][0][actix];
    let standing = analyze::analysis::standing(&record, "plaintext", metric, &Sessions::default()).unwrap();
    let place = |id: &str| record.apps.iter().position(|app| app.id == id).unwrap();
    let interval = standing
        .difference(place("axum"), place("actix-web"))
        .unwrap()
        .interval()
        .unwrap();
    let half = 0.5 * (interval.high - interval.low);
    assert!((found.as_f64().unwrap() / half - 1.0).abs() < 0.01, "{found} {half}");
}

#[test]
fn a_lane_of_partial_runs_has_no_series() {
    let world = World::new(vec![of_day("2026-12-04", partial)]);
    let lane = &world.built.index.lanes[&Lane::HostedX64];
    assert!(lane.series.is_empty() && lane.profile == "weekly" && lane.partial.is_some());
}

#[test]
fn the_newest_run_at_several_widths_is_shown_by_its_curves() {
    let of = |day: &str, whole| {
        let mut record = samples::scaled();
        record.id = format!("{}T120000Z-1", day.replace('-', ""));
        record.started_at = format!("{day}T12:00:00Z").parse().unwrap();
        record.harness.whole = whole;
        record
    };
    let world = World::new(vec![
        of("2026-10-09", true),
        of("2026-11-13", true),
        of("2026-11-20", false),
        of_day("2026-11-24", |_| {}),
    ]);
    assert_eq!(
        world.json("data/hosted-x64/scaling.json")["run"]["id"],
        "20261113T120000Z-1"
    );
}

#[test]
fn a_record_of_the_future_is_left_out() {
    let world = World::new(vec![
        of_day("2026-10-05", |_| {}),
        of_day("2026-10-12", |record| {
            record.started_at = "9999-12-30T22:00:00Z".parse().unwrap();
        }),
        of_day("9999-12-30", |_| {}),
    ]);
    assert_eq!(world.built.left_out.len(), 2);
    assert_eq!(
        world.built.index.lanes[&Lane::HostedX64].series["weekly"].newest.id,
        "20261005T120000Z-1"
    );
}

#[test]
fn what_a_summary_says_is_what_the_trials_come_to() {
    let world = World::new(vec![of_day("2026-11-14", |_| {})]);
    let run = world.json("data/hosted-x64/summaries/20261114T120000Z-1.json.gz");
    let record = samples::sensible();
    let expected = analyze::analysis::summary(&record.apps, &record.scenarios, &record.trials);
    assert_eq!(run["cells"], serde_json::to_value(expected).unwrap());
}

/// A week later, and then with a file that somebody changed, and then by another program: always what one call makes of all records, and
/// what is kept is not written again.
#[test]
fn what_is_there_is_kept_and_is_what_would_be_made() {
    let days = ["10-03", "10-10", "10-17", "10-24", "10-31", "11-07", "11-14", "11-21"];
    let records = days.map(|day| of_day(&format!("2026-{day}"), |_| {}));
    let mut records: Vec<Record> = records.to_vec();
    records[1].environment.cpu_model = "another".into();
    let expected = World::new(records.clone()).content();
    let written = |world: &World, day: &str| {
        let id = format!("2026{}T120000Z-1", day.replace('-', ""));
        let path = format!("out/data/hosted-x64/runs/{id}.json.gz");
        let file = fs::metadata(world.folder.path().join(path)).unwrap();
        file.modified().unwrap()
    };
    let (others, newest) = records.split_at(7);
    let world = World::new(others.to_vec());
    let before = days[..7].iter().map(|day| written(&world, day)).collect::<Vec<_>>();
    let world = World::made_in(world.folder, newest.to_vec(), "this one");
    let after = days[..7].iter().map(|day| written(&world, day)).collect::<Vec<_>>();
    let is_kept: Vec<bool> = before.iter().zip(&after).map(|(one, other)| one == other).collect();
    assert_eq!(
        is_kept,
        [false, true, false, false, false, false, false],
        "all but the one of another kind"
    );
    assert_eq!(world.content(), expected);

    let path = world
        .folder
        .path()
        .join("out/data/hosted-x64/summaries/20261031T120000Z-1.json.gz");
    fs::write(&path, "changed").unwrap();
    let world = World::made_in(world.folder, Vec::new(), "this one");
    let repaired = days[..7].iter().map(|day| written(&world, day)).collect::<Vec<_>>();
    let is_kept: Vec<bool> = after.iter().zip(&repaired).map(|(one, other)| one == other).collect();
    assert_eq!(is_kept, [true, true, true, true, false, true, true]);
    assert_eq!(world.content(), expected);

    let gone = "20261003T120000Z-1.json.gz";
    fs::remove_file(world.folder.path().join("pages/runs/hosted-x64").join(gone)).unwrap();
    let world = World::made_in(world.folder, Vec::new(), "another");
    assert!(written(&world, "10-10") > repaired[1]);
    assert!(!world.paths().contains(&format!("data/hosted-x64/runs/{gone}")));
}

/// All that is said of a run among its sessions.
fn said(runs: &Path, path: &Path) -> Vec<String> {
    let (record, sessions) = reading::among_sessions(runs, path).unwrap();
    let direct = Direct::new(&record, &sessions);
    let pair = direct.pair("actix-web", "axum").unwrap_or_default();
    let mut said = vec![
        crate::full_markdown(&record, None),
        crate::full_terminal(&record, Style::PLAIN),
        crate::summary(&direct, Style::PLAIN).unwrap_or_default(),
        crate::pair(&direct, &pair, Some(Style::PLAIN)),
        crate::pull_request(
            &record,
            Some(&record),
            &[],
            Links::default(),
            &NoLockfiles,
            &analyze::releases::releases(&[]),
        ),
        serde_json::to_string(&record.summary).unwrap(),
    ];
    said.extend(crate::charts(&record).into_iter().map(|(_, svg)| svg));
    said
}

#[test]
fn pruning_takes_nothing_from_what_is_said_of_any_run() {
    let cost = [1.05, 0.96, 1.02, 1.0, 0.97, 1.04];
    let mut records: Vec<Record> = (1..)
        .zip(cost)
        .map(|(month, cost)| {
            of_day(&format!("2025-{:02}-01", month * 2), |record| {
                for trial in record.trials.iter_mut().filter(|trial| trial.app == "axum") {
                    trial.server_cpu_us_per_request = trial.server_cpu_us_per_request.map(|cpu| cpu * cost);
                }
            })
        })
        .collect();
    let others = [
        samples::full(),
        samples::disturbed(4),
        samples::with_database(),
        samples::varied(),
        samples::scaled(),
    ];
    for (number, mut record) in (1..).zip(others) {
        record.profile = format!("another-{number}");
        for year in [2024, 2026] {
            records.push(Record {
                id: format!("{year}0101T120000Z-{number}"),
                started_at: format!("{year}-01-01T12:00:00Z").parse().unwrap(),
                ..record.clone()
            });
        }
    }
    let before = World::new(records);
    let runs = before.folder.path().join("pages").join(RUNS);
    let paths = store::all(&runs);
    let all = || -> Vec<_> { paths.iter().map(|path| said(&runs, path)).collect() };
    let (told, shown) = (all(), before.content());
    let pruned = prune(&runs, "2026-11-01T00:00:00Z".parse().unwrap()).unwrap();
    assert_eq!(pruned.len(), 10, "{pruned:?}");
    for ((path, now), before) in paths.iter().zip(all()).zip(told) {
        assert!(now == before, "{}", path.display());
    }
    let after = World::made_in(before.folder, Vec::new(), "another one");
    let is_made = |path: &str| !path.starts_with("runs/") && path != "data/kept.json";
    // The records are there as they are, and by their hashes.
    for (path, now) in after.content().into_iter().filter(|(path, _)| is_made(path)) {
        assert!(now == shown[&path], "{path}");
    }
}
