//! Records of `bench probe`, as `bench report`, `bench history` and `bench publish` find them. What they say of them is proved by the tests of
//! `analyze::probes` and `report`.

use std::fs;

use measure::probe::Case;
use model::probe::ProbeOutcome;
use model::{Record, store};
use tempfile::TempDir;

use crate::files::command::{bench, root};

/// The probes of two weeks, in the second of which axum passes a case that it failed.
pub fn of_two_weeks() -> [Record; 2] {
    let mut probes = samples::probes();
    // Of this program, so that they may be published.
    let built_in = Case::built_in().into_iter().map(|case| case.about);
    probes.cases = built_in
        .filter(|case| ["date", "h2spec"].contains(&&*case.id))
        .collect();
    probes.probed.retain(|one| one.case == "date");
    // A server that does not speak HTTP/2 has one result for all cases of h2spec.
    let mut unspoken = probes.probed[0].clone();
    (unspoken.case, unspoken.outcome) = ("h2spec".into(), ProbeOutcome::NotApplicable);
    probes.probed.push(unspoken);
    let mut later = probes.clone();
    later.id = "20261128T110000Z-1".into();
    (later.started_at, later.finished_at) = (at("2026-11-28T11:00:00Z"), at("2026-11-28T11:20:00Z"));
    probes.probed[0].outcome = ProbeOutcome::Failed;
    [probes, later]
}

fn at(text: &str) -> jiff::Timestamp {
    text.parse().unwrap()
}

/// Results with both.
fn results() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for record in of_two_weeks() {
        store::write(folder.path(), &record).unwrap();
    }
    folder
}

#[test]
fn the_newest_are_reported_where_they_are_wanted() {
    let folder = results();
    let output = bench(folder.path(), "report probes --results . --out out").fine();
    assert_eq!(output.stdout, "out/summary.md\n");
    let summary = fs::read_to_string(folder.path().join("out/summary.md")).unwrap();
    assert!(
        summary.starts_with("# What breaks\n\n2 cases on 3 servers") && summary.contains("2026-11-28"),
        "{summary}"
    );
}

#[test]
fn all_cases_are_listed() {
    let listed = bench(&root(), "probe --list --format json").fine().json();
    assert!(listed.as_array().unwrap().len() >= 100);
}

#[test]
fn on_a_terminal_they_are_a_table() {
    let line = "report probes --results . --format table";
    let table = bench(results().path(), line).fine().stdout;
    assert!(table.starts_with("fails"), "{table}");
}

#[test]
fn what_ceased_to_fail_is_their_history_and_that_of_another_app_is_another() {
    let folder = results();
    let history = |more: &str| bench(folder.path(), &format!("history --probes --results . {more}")).fine();
    let all = history("").stdout;
    let line = "| 2026-11-28 | axum | date (must) | http1 | passes now |";
    assert!(all.contains(line), "{all}");
    let another = history("--app rocket").stdout;
    assert!(another.contains("nothing began or ceased to fail"), "{another}");
}

#[test]
fn they_are_published_if_nothing_speaks_against_them() {
    let folder = results();
    let pages = folder.path().join("pages");
    fs::create_dir(&pages).unwrap();
    bench(folder.path(), "publish probes --results . --pages pages").fine();
    assert!(pages.join("runs/probes/20261128T110000Z-1.json.gz").is_file());
    bench(folder.path(), "site --pages pages --out out").fine();
    assert!(folder.path().join("out/data/probes/breaks.json").is_file());
}

#[test]
fn memory_that_was_seen_has_its_chart() {
    let folder = tempfile::tempdir().unwrap();
    store::write(folder.path(), &samples::probes()).unwrap();
    let output = bench(folder.path(), "report probes --results . --out out").fine();
    assert_eq!(output.stdout, "out/summary.md\nout/charts/memory.svg\n");
    let summary = fs::read_to_string(folder.path().join("out/summary.md")).unwrap();
    assert!(summary.contains("](charts/memory.svg)"), "{summary}");
}
