//! What is published of a record that was measured, and `bench publish` and `bench export`, which write it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use judge::reading;
use judge::sense::moved;
use measure::build::describe;
use measure::machine::environment;
use serde_json::{Value, json};
use tell::publish::{Additions, Folder, Memory, Published, Tree as _, before, check, prepare};
use tell::report::markdown;

use crate::command::{bench, catalog, root};

/// A record that was measured, and is committed.
const RECORD: &str = include_str!("../../../../../bench-results/local/20261121T123408Z-1.json");
/// What github-action-benchmark 1.22.0 wrote.
const DATA_JS: &str = include_str!("../../../tell/src/publish/fixtures/data.js");
pub const LANE: &str = "hosted-x64";

pub fn id(minute: u32) -> String {
    format!("20261121T10{minute:02}00Z-1")
}

/// The record of a run that began in this minute of a certain hour.
pub fn value(minute: u32) -> Value {
    let mut record: Value = serde_json::from_str(RECORD).unwrap();
    record["lane"] = LANE.into();
    record["id"] = id(minute).into();
    record["started_at"] = format!("2026-11-21T10:{minute:02}:00Z").into();
    record
}

pub fn published(minute: u32, change: impl FnOnce(&mut Value)) -> Published {
    let mut record = value(minute);
    change(&mut record);
    Published::parse("record.json".as_ref(), &record.to_string()).unwrap()
}

fn additions(records: Vec<Published>) -> Additions {
    Additions {
        records,
        ..Additions::nothing("2027-01-01T00:00:00Z".parse().unwrap())
    }
}

/// A tree with these records.
fn tree(records: Vec<Published>) -> Memory {
    Memory(prepare(&Memory::default(), &additions(records)).unwrap().files)
}

/// The same as a folder.
pub fn pages(folder: &Path, records: Vec<Published>) {
    fs::create_dir_all(folder).unwrap();
    let files = tree(records).0;
    Folder::open(folder).unwrap().write(&files, || false).unwrap();
}

/// `folder` as a place of `pages/`, with two published records, as many as one that moved is held against, and a `record.json` of the
/// second minute.
pub fn begun(folder: &Path, change: impl FnOnce(&mut Value)) {
    pages(&folder.join("pages"), vec![published(0, |_| {}), published(1, |_| {})]);
    let mut record = value(2);
    change(&mut record);
    fs::write(folder.join("record.json"), record.to_string()).unwrap();
}

/// All servers take this many times the CPU time for a request, as in a run that opened a connection for each.
pub fn cost_times(record: &mut Value, factor: f64) {
    for trial in record["trials"].as_array_mut().unwrap() {
        if let Some(cpu) = trial["server_cpu_us_per_request"].as_f64() {
            trial["server_cpu_us_per_request"] = (cpu * factor).into();
        }
    }
}

/// Makes a record one of this checkout, whatever its figures are of.
pub fn of_this_checkout(record: &mut Value) {
    let catalog = catalog();
    record["harness"]["commit"] = environment::commit(&catalog.root).unwrap().0.into();
    record["harness"]["whole"] = false.into(); // the profile has grown since
    for app in record["apps"].as_array_mut().unwrap() {
        let known = catalog.app(app["id"].as_str().unwrap()).unwrap();
        *app = serde_json::to_value(describe(known, known.variant("default").unwrap(), None, None)).unwrap();
        app["protocols"] = json!(known.protocols);
    }
}

/// Every file below a folder, with its content.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let folder = Folder::open(root).unwrap();
    let beside = ["feed.xml", "index.html", ".nojekyll"].map(str::to_owned);
    let paths = folder.paths().unwrap().into_iter().chain(beside);
    paths
        .filter_map(|path| Some((path.clone(), folder.read(&path).unwrap()?)))
        .collect()
}

#[test]
fn what_the_action_wrote_is_counted_and_left_alone() {
    let mut tree = tree(vec![published(1, |_| {})]);
    tree.0.insert(format!("charts/{LANE}/data.js"), DATA_JS.into());
    let more = additions(vec![published(2, |_| {})]);
    let files = prepare(&tree, &more).unwrap().files;
    assert!(!files.keys().any(|path| path.starts_with("charts/")), "{files:#?}");
    let page = String::from_utf8_lossy(&files["index.html"]).into_owned();
    assert!(
        page.contains(&id(2)) && !page.contains(&id(1)) && page.contains("charts/hosted-x64/"),
        "{page}"
    );
    tree.0.extend(files);
    assert_eq!(check(&tree, more.now).unwrap().charts, 1);
}

#[test]
fn a_broken_tree_is_refused_by_check_and_publication() {
    let record = format!("data/{LANE}/{}.json", id(1));
    let charts = format!("charts/{LANE}/data.js");
    for (path, content) in [
        (&*charts, "window.BENCHMARK_DATA = {\"lastUpdate\": 1, \"entries\": {"),
        ("data/index.json", "{\"schema_version\": 1, \"lanes\": {}}"),
        ("data/index.json", "{\"schema_version\": 2, \"lanes\": {}}"),
        (&record, "{}"),
    ] {
        let mut tree = tree(vec![published(1, |_| {})]);
        tree.0.insert(path.into(), content.into());
        let more = additions(vec![published(2, |_| {})]);
        let of_check = check(&tree, more.now).unwrap_err().to_string();
        let of_prepare = prepare(&tree, &more).unwrap_err().to_string();
        for error in [of_check, of_prepare] {
            let place = if path == charts { path } else { "data/" };
            assert!(error.contains(place) && error.contains("is broken"), "{path}: {error}");
        }
    }
}

#[test]
fn a_run_whose_reference_costs_a_multiple_did_something_else() {
    let of = |minute, factor| published(minute, |record| cost_times(record, factor));
    let tree = tree(vec![of(1, 1.0), of(2, 1.1)]);
    let moves = |run: Published| moved(&run.record, &before(&tree, &run.record).unwrap());
    assert!(moves(of(3, 1.1)).is_empty());
    let told = moves(of(3, 4.0));
    assert!(
        told.iter().any(|line| line.starts_with("Reference takes "))
            && told[0].ends_with("so this run did something else"),
        "{told:#?}"
    );
}

#[test]
fn a_published_record_is_reported_as_the_measured_one_is() {
    let measured = reading::parse("record.json".as_ref(), RECORD).unwrap();
    let text = Published::new("record.json".as_ref(), measured.clone()).unwrap().text;
    let published = reading::parse("record.json".as_ref(), &text).unwrap();
    let (published, measured) = (markdown(&published, None), markdown(&measured, None));
    assert!(published.contains("axum") && published.lines().count() == measured.lines().count());
    let table = |text: &str| -> Vec<String> {
        let rows = text.lines().filter(|line| line.starts_with('|'));
        rows.map(ToOwned::to_owned).collect()
    };
    let (published, measured) = (table(&published), table(&measured));
    let same = published.iter().zip(&measured).filter(|(one, other)| one == other);
    assert!(
        same.count() * 2 > measured.len(),
        "most rows are the same to the letter: {published:#?}\n{measured:#?}"
    );
}

#[test]
fn names_that_mean_harm_are_text_wherever_they_come_out() {
    let name = "<script>alert(1)</script>\u{202e}\"'&";
    let long = "x".repeat(100_000);
    let tree = tree(vec![published(1, |record| {
        record["apps"][0]["name"] = name.into();
        record["apps"][1]["name"] = long.clone().into();
        record["environment"]["cpu_model"] = name.into();
        record["harness"]["commit"] = name.into();
        for trial in record["trials"].as_array_mut().unwrap() {
            if trial["verdict"] != "valid" {
                trial["reasons"] = json!([name, long]);
            }
        }
    })]);
    let text = |path: &str| tree.text(path).unwrap().unwrap();
    let page = text("index.html");
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"), "{page}");
    let badge = text("data/hosted-x64/badges/axum.json");
    assert!(badge.len() < 300, "{badge}");
    for path in tree.paths().unwrap() {
        let _: Value = serde_json::from_str(&text(&path)).unwrap();
    }
    let series = text("data/hosted-x64/series/2026-11/plaintext.json");
    assert!(series.len() < 50_000, "a reason is cut: {}", series.len());
    check(&tree, additions(Vec::new()).now).unwrap();
}

#[test]
fn every_record_and_a_site_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    for path in ["results/hosted-x64", "dist/assets", "pages"] {
        fs::create_dir_all(at(path)).unwrap();
    }
    for minute in [1, 2] {
        let path = at(&format!("results/{LANE}/{}.json", id(minute)));
        fs::write(path, value(minute).to_string()).unwrap();
    }
    let page = "<!doctype html><meta name=\"generator\" content=\"bench site\"><p>The site</p>";
    fs::write(at("dist/index.html"), page).unwrap();
    fs::write(at("dist/assets/main.js"), "code").unwrap();
    let all = "publish --all --results results --site dist --site-url https://owner.github.io/repo/ --pages pages";
    let told = bench(folder.path(), &all.split(' ').collect::<Vec<_>>()).fine();
    let now = additions(Vec::new()).now;
    let checked = check(&Folder::open(&at("pages")).unwrap(), now).unwrap();
    assert_eq!((checked.records, checked.index.lanes.len()), (2, 1));
    let read = |path: &str| fs::read_to_string(at(path)).unwrap();
    assert_eq!(
        (&*read("pages/index.html"), &*read("pages/assets/main.js")),
        (page, "code")
    );
    assert!(read("pages/feed.xml").contains("xml:base=\"https://owner.github.io/repo/\""));
    for line in told.stdout.lines() {
        assert!(at(line).is_file(), "{line}");
    }
    assert!(told.stdout.contains("pages/data/index.json\n"), "{told:#?}");
}

#[test]
fn what_follows_from_the_records_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    begun(folder.path(), |_| {});
    let pages = folder.path().join("pages");
    let good = files(&pages);
    for path in ["data/index.json", "feed.xml"] {
        fs::remove_file(pages.join(path)).unwrap();
    }
    fs::remove_dir_all(pages.join("data/hosted-x64/series")).unwrap();
    fs::write(pages.join("data/hosted-x64/badges/axum.json"), "{}").unwrap();
    bench(folder.path(), &["publish", "--rebuild", "--pages", "pages"]).fine();
    assert_eq!(files(&pages), good);
}

#[test]
fn a_run_that_moved_is_published_where_a_person_says_so() {
    let folder = tempfile::tempdir().unwrap();
    begun(folder.path(), |record| cost_times(record, 4.0));
    let arguments = ["publish", "record.json", "--pages", "pages", "--accept-moved"];
    bench(folder.path(), &arguments).fine();
    assert!(
        folder
            .path()
            .join(format!("pages/data/{LANE}/{}.json", id(2)))
            .is_file()
    );
}

#[test]
fn a_record_of_this_checkout_is_published() {
    let folder = tempfile::tempdir().unwrap();
    begun(folder.path(), of_this_checkout);
    let root = root();
    let mut arguments = vec!["publish", "record.json", "--pages", "pages"];
    arguments.extend(["--checkout", root.to_str().unwrap()]);
    arguments.extend(["--expect-lane", LANE, "--since", "2026-11-21T10:01:30Z"]);
    bench(folder.path(), &arguments).fine();
    assert!(
        folder
            .path()
            .join(format!("pages/data/{LANE}/{}.json", id(2)))
            .is_file()
    );
}

#[test]
fn export_writes_what_is_trusted_and_names_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("record.json"), value(1).to_string()).unwrap();
    let arguments = ["export", "record.json", "--metric", "throughput", "--out", "out.json"];
    let told = bench(folder.path(), &arguments).fine();
    assert!(
        told.stderr.contains("left out: axum · plaintext: client-bound: "),
        "{told:#?}"
    );
    insta::assert_snapshot!(fs::read_to_string(folder.path().join("out.json")).unwrap());
}
