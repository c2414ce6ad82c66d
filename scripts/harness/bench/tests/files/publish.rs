//! `bench publish`, `bench site` and `bench export` on files. What the site consists of is proved by the tests of `report::site`.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use analyze::plausibility::baseline_drift;
use analyze::reading;
use apps::build::describe;
use machine::environment;
use model::Record;
use model::store::{LARGEST, read_text};
use report::full_markdown;
use report::publish::{Fact, add, before};
use serde_json::{Value, json};

use crate::files::command::{bench, catalog, root};

/// A record that was measured, and is committed.
static RECORD: LazyLock<String> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/record.json.gz");
    read_text(&path, LARGEST).unwrap()
});
pub const LANE: &str = "hosted-x64";

pub fn id(minute: u32) -> String {
    format!("20261121T10{minute:02}00Z-1")
}

/// The record of a run that began in this minute of a certain hour.
pub fn value(minute: u32) -> Value {
    let mut record: Value = serde_json::from_str(&RECORD).unwrap();
    record["lane"] = LANE.into();
    record["id"] = id(minute).into();
    record["started_at"] = format!("2026-11-21T10:{minute:02}:00Z").into();
    record
}

pub fn record(minute: u32, change: impl FnOnce(&mut Value)) -> Record {
    let mut record = value(minute);
    change(&mut record);
    reading::parse("record.json".as_ref(), &record.to_string()).unwrap()
}

/// A checkout with these records.
pub fn pages(folder: &Path, records: Vec<Record>) {
    let runs = folder.join("runs");
    let facts = records.into_iter().map(|record| Fact::of_record(&runs, record));
    add(&runs, &facts.collect::<Vec<_>>()).unwrap();
}

/// `folder` as a place of `pages/`, with two published records, as many as one that moved is held against, and a `record.json` of the
/// second minute.
pub fn begun(folder: &Path, change: impl FnOnce(&mut Value)) {
    pages(&folder.join("pages"), vec![record(0, |_| {}), record(1, |_| {})]);
    let mut record = value(2);
    change(&mut record);
    fs::write(folder.join("record.json"), record.to_string()).unwrap();
}

/// All servers take this many times the CPU time for a request, as in a run that opened a connection for each.
pub fn cost_times(record: &mut Value, factor: f64) {
    let times = |figure: &mut Value, factor: f64| {
        *figure = figure.as_f64().map_or(Value::Null, |known| (known * factor).into());
    };
    for trial in record["trials"].as_array_mut().unwrap() {
        times(&mut trial["server_cpu_us_per_request"], factor);
        times(&mut trial["seconds"], factor);
        times(&mut trial["goodput_rps"], 1.0 / factor);
        let latencies = trial["latency_ms"].as_object_mut().unwrap();
        latencies.values_mut().for_each(|latency| times(latency, factor));
    }
}

/// Attributes a record to this checkout; its figures stay as they are.
pub fn of_this_checkout(record: &mut Value) {
    let catalog = catalog();
    record["harness"]["commit"] = environment::commit(&catalog.root).unwrap().unwrap().0.into();
    record["harness"]["whole"] = false.into(); // the profile has grown since
    for app in record["apps"].as_array_mut().unwrap() {
        let known = catalog.app(app["id"].as_str().unwrap()).unwrap();
        *app = serde_json::to_value(describe(known, known.variant("default").unwrap(), None, None)).unwrap();
        app["protocols"] = json!(known.protocols);
    }
}

#[test]
fn a_run_whose_reference_costs_a_multiple_did_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let of = |minute, factor| record(minute, |record| cost_times(record, factor));
    pages(folder.path(), vec![of(1, 1.0), of(2, 1.1)]);
    let moves = |run: Record| baseline_drift(&run, &before(&folder.path().join("runs"), &run).unwrap());
    assert!(moves(of(3, 1.1)).is_empty());
    let findings = moves(of(3, 4.0));
    assert!(
        findings.iter().any(|line| line.starts_with("Reference takes "))
            && findings[0].ends_with("so this run did something else"),
        "{findings:#?}"
    );
}

#[test]
fn a_published_record_is_reported_as_the_measured_one_is() {
    let folder = tempfile::tempdir().unwrap();
    let measured = record(1, |_| {});
    pages(folder.path(), vec![measured.clone()]);
    let path = folder.path().join(format!("runs/{LANE}/{}.json.gz", id(1)));
    assert_eq!(
        full_markdown(&reading::read(&path).unwrap(), None),
        full_markdown(&measured, None)
    );
    let output = bench(
        folder.path(),
        &format!("report {} --results runs --format markdown", id(1)),
    );
    let output = output.fine();
    assert!(output.stdout.contains(&id(1)), "{output:#?}");
}

#[test]
fn names_that_mean_harm_are_short_texts_wherever_they_come_out() {
    let folder = tempfile::tempdir().unwrap();
    let name = "<script>alert(1)</script>\u{202e}\"'&";
    let long = "x".repeat(100_000);
    let hostile = record(1, |record| {
        record["apps"][0]["name"] = name.into();
        record["apps"][1]["name"] = long.clone().into();
        record["harness"]["commit"] = name.into();
        for trial in record["trials"].as_array_mut().unwrap() {
            if trial["verdict"] != "valid" {
                trial["reasons"] = json!([name, long]);
            }
        }
    });
    pages(&folder.path().join("pages"), vec![hostile]);
    bench(folder.path(), "site --pages pages --out out").fine();
    let text = |path: &str| fs::read_to_string(folder.path().join("out").join(path)).unwrap();
    let badge = text("data/hosted-x64/badges/axum.json");
    assert!(badge.len() < 300, "{badge}");
    let profile = value(1)["profile"].as_str().unwrap().to_owned();
    let series = text(&format!("data/hosted-x64/series/{profile}/plaintext.json"));
    assert!(series.len() < 50_000, "a reason is cut: {}", series.len());
}

#[test]
fn every_record_is_published_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    for path in ["results/hosted-x64", "dist", "pages/charts/hosted-x64"] {
        fs::create_dir_all(at(path)).unwrap();
    }
    for minute in [1, 2] {
        let path = at(&format!("results/{LANE}/{}.json", id(minute)));
        fs::write(path, value(minute).to_string()).unwrap();
    }
    fs::write(at("dist/index.html"), "The site").unwrap();
    fs::write(at("pages/charts/hosted-x64/data.js"), "charts").unwrap();
    let says = |line: &str| bench(folder.path(), line).fine().stdout;
    let publish = "publish --all --results results --pages pages";
    let paths = [1, 2].map(|minute| format!("pages/runs/{LANE}/{}.json.gz", id(minute)));
    assert_eq!(says(publish).lines().collect::<Vec<_>>(), paths);
    assert_eq!(says(publish), "everything was there already\n");
    let site = "site --pages pages --out dist --site-url https://owner.github.io/repo/";
    assert_eq!(says(site), "dist: 2 records in 1 lane\n");
    let read = |path: &str| fs::read_to_string(at("dist").join(path)).unwrap();
    assert_eq!(read("index.html"), "The site");
    assert_eq!(read("charts/hosted-x64/data.js"), "charts");
    assert!(read("feed.xml").contains("xml:base=\"https://owner.github.io/repo/\""));
    let index: Value = serde_json::from_str(&read("data/index.json")).unwrap();
    assert!(index["lanes"]["hosted-x64"].is_object());
}

#[test]
fn trials_of_a_year_ago_are_pruned_by_name_and_every_figure_is_still_shown() {
    let folder = tempfile::tempdir().unwrap();
    let of_last_year = |minute| {
        record(minute, |record| {
            record["id"] = format!("20251121T10{minute:02}00Z-1").into();
            record["started_at"] = format!("2025-11-21T10:{minute:02}:00Z").into();
        })
    };
    pages(folder.path(), vec![of_last_year(0), of_last_year(1)]);
    let says = |line: &str| bench(folder.path(), line).fine().stdout;
    let old = "runs/hosted-x64/20251121T100000Z-1.json.gz";
    let figures = format!("report {old} --published https://example.org --format figures");
    let shown = |text: String| serde_json::from_str::<Value>(&text).unwrap()["figures"].take();
    let before = shown(says(&figures));
    let pruned = says("prune --pages .");
    assert!(
        pruned.starts_with(&format!("./{old}: ")) && pruned.lines().count() == 1,
        "{pruned}"
    );
    assert_eq!(shown(says(&figures)), before);
    says(&format!("report {old} --format markdown"));
    assert_eq!(says("site --pages . --out site"), "site: 2 records in 1 lane\n");
    assert_eq!(says("prune --pages ."), "no trials to prune\n");
}

/// Whether the second record was published.
fn is_published(folder: &Path) -> bool {
    let path = format!("pages/runs/{LANE}/{}.json.gz", id(2));
    folder.join(path).is_file()
}

#[test]
fn a_run_that_moved_is_published_where_a_person_says_so() {
    let folder = tempfile::tempdir().unwrap();
    begun(folder.path(), |record| cost_times(record, 4.0));
    bench(folder.path(), "publish record.json --pages pages --accept-moved").fine();
    assert!(is_published(folder.path()));
}

#[test]
fn a_record_of_this_checkout_is_published() {
    let folder = tempfile::tempdir().unwrap();
    begun(folder.path(), of_this_checkout);
    let expected = format!(
        "--expect-lane {LANE} --since 2026-11-21T10:01:30Z --checkout {}",
        root().display()
    );
    bench(folder.path(), &format!("publish record.json --pages pages {expected}")).fine();
    assert!(is_published(folder.path()));
}

#[test]
fn export_writes_what_is_trusted_and_names_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("record.json"), value(1).to_string()).unwrap();
    let line = "export record.json --metric throughput --out out.json";
    let output = bench(folder.path(), line).fine();
    assert!(
        output.stderr.contains("left out: axum · plaintext: client-bound: "),
        "{output:#?}"
    );
    insta::assert_snapshot!(fs::read_to_string(folder.path().join("out.json")).unwrap());
}
