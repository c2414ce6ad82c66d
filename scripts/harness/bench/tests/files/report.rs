//! `bench report` on records: which one it shows, and what it writes where. What it says is proved by the tests of `report::report`.

use model::Record;
use model::store;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

use crate::common::{CommandOutput, copy};
use crate::files::command::{bench, root};

const README: &str = "# Title\n\n<!-- results:begin -->\nthe block before\n<!-- results:end -->\n\nThe end.\n";

/// Results with one whole run, and a try after it.
fn results() -> (TempDir, Record) {
    let folder = tempfile::tempdir().unwrap();
    let whole = samples::sensible();
    let mut part = whole.clone();
    part.harness.whole = false;
    part.started_at = "2026-11-30T12:00:00Z".parse().unwrap();
    part.id = model::run_id(part.started_at, part.seed);
    for record in [&whole, &part] {
        store::write(folder.path(), record).unwrap();
    }
    (folder, whole)
}

/// What `bench report` says of the results in a folder.
fn report(folder: &TempDir, line: &str) -> CommandOutput {
    bench(folder.path(), &format!("report --results . {line}")).fine()
}

#[test]
fn into_a_pipe_it_is_plain_text_of_the_named_run_that_ends_with_its_summary() {
    let (folder, whole) = results();
    let text = report(&folder, &whole.id).stdout;
    assert!(text.starts_with("weekly on ") && text.contains(&whole.id), "{text}");
    let (_, summary) = text.rsplit_once("\nSummary\n").unwrap();
    assert!(
        summary.contains("first or tied for first in all 2 scenarios") && summary.lines().count() < 10,
        "{summary}"
    );
    for mark in ["\u{1b}", "─", "┄", "# ", "<br>", "&nbsp;", "~~"] {
        assert!(!text.contains(mark), "{mark}: {text}");
    }
}

#[test]
fn one_framework_is_shown_by_its_name() {
    let (folder, whole) = results();
    let text = report(&folder, "Axum").stdout;
    assert!(
        text.starts_with("axum 0.8.7\n") && text.contains("above actix-web"),
        "{text}"
    );
    let shown = report(&folder, "axum --format json").json();
    assert_eq!(shown[0]["run"], *whole.id);
    assert_eq!(shown[0]["cells"].as_array().unwrap().len(), whole.scenarios.len());
    assert_eq!(shown[0]["releases"], json!([]));
}

#[test]
fn what_the_releases_of_a_framework_brought_is_shown_with_it_and_on_a_page_of_all() {
    let (folder, _) = results();
    let add = |day: &str, of: &str, versions: &[(&str, &str, Option<f64>)]| {
        let record = samples::releases(day, of, versions);
        let path = folder.path().join("local/releases").join(format!("{}.json", record.id));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, serde_json::to_string(&record).unwrap()).unwrap();
        path
    };
    let old = [
        ("0.8.8", "2025-12-20", Some(1000.0)),
        ("0.8.9", "2026-04-14", Some(1020.0)),
    ];
    let path = add("2026-11-22", "axum", &old);
    add("2026-11-23", "tokio", &[("1.54.1", "2026-10-21", None)]);
    let shown = report(&folder, "axum").stdout;
    assert!(
        shown.contains("What the last year brought") && shown.contains("▲ +2.0 %"),
        "{shown}"
    );
    report(&folder, &format!("{} --out out", path.display()));
    let page = fs::read_to_string(folder.path().join("out/summary.md")).unwrap();
    assert!(
        page.contains("| 0.8.9<br><sub>2026-04-14</sub> |") && page.contains("axum with tokio"),
        "{page}"
    );
}

#[test]
fn the_latest_is_the_whole_one_and_markdown_where_that_is_wanted() {
    let (folder, _) = results();
    let output = report(&folder, "latest --format markdown");
    assert!(
        output.stdout.contains("÷ reference")
            && output.stdout.starts_with("# ")
            && !output.stdout.contains("(partial)"),
        "{output:#?}"
    );
}

#[test]
fn summary_charts_and_the_block_of_a_readme_are_written_next_to_the_record() {
    let (folder, whole) = results();
    let readme = folder.path().join("README.md");
    fs::write(&readme, README).unwrap();
    report(&folder, "latest --readme README.md");
    let text = fs::read_to_string(&readme).unwrap();
    assert!(
        text.starts_with("# Title\n") && text.ends_with("The end.\n") && !text.contains("the block before"),
        "{text}"
    );
    let lane = whole.lane.name();
    assert!(
        text.contains(&format!("\"{lane}/charts/readme-narrow.svg\""))
            && text.contains(&format!("{lane}/{}.json", whole.id)),
        "{text}"
    );
    for written in [
        "charts/overview.svg",
        "charts/plaintext.svg",
        "charts/readme.svg",
        "charts/readme-narrow.svg",
        "summary.md",
    ] {
        assert!(folder.path().join(lane).join(written).is_file(), "{written}");
    }
}

#[test]
fn another_folder_is_taken_where_one_is_named() {
    let (folder, _) = results();
    report(&folder, "latest --out elsewhere");
    for written in ["elsewhere/summary.md", "elsewhere/charts/plaintext.svg"] {
        assert!(folder.path().join(written).is_file(), "{written}");
    }
}

#[test]
fn as_json_every_figure_has_an_interval_and_a_verdict() {
    let (folder, whole) = results();
    let shown = report(&folder, &format!("{} --format json", whole.id)).json();
    assert_eq!(shown["trials"].as_array().unwrap().len(), whole.trials.len());
    assert_eq!(shown["summary"], serde_json::to_value(&whole.summary).unwrap());
    assert_eq!(shown["summary"][0]["verdict"], "valid");
}

#[test]
fn two_frameworks_are_compared_directly() {
    let (folder, whole) = results();
    let pair = report(&folder, "--pair Axum,actix-web --format table").stdout;
    assert!(
        pair.contains("actix-web needs 17 % less CPU time than axum in all 2 scenarios"),
        "{pair}"
    );
    let pair = report(&folder, "--pair axum,actix-web --format json").json();
    assert_eq!(pair[0]["run"], *whole.id);
    let first = &pair[0]["pairs"][0];
    assert_eq!(
        (&first["apps"][0], &first["told_apart"]),
        (&"axum".into(), &true.into())
    );
    assert!(first["ratio"]["interval"]["high"].as_f64().unwrap() < 0.9, "{first}");
}

#[test]
fn a_stored_comparison_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let comparison = crate::files::github::world::comparison(crate::files::github::world::FIRST, 0.05);
    let text = serde_json::to_string(&comparison).unwrap();
    fs::write(folder.path().join("found.json"), text).unwrap();
    let output = report(&folder, "found.json");
    assert!(output.stdout.starts_with("# "), "{output:#?}");
}

/// Of another lane, whose records are on gh-pages, nothing is said.
#[test]
fn the_block_of_readme_is_what_its_records_say_and_its_check_sees_another_figure_and_another_verdict() {
    const READING: &str = "scripts/harness/docs/reading.md";
    let folder = tempfile::tempdir().unwrap();
    let at = |file: &str| folder.path().join(file);
    let read = |file: &str| fs::read_to_string(root().join(file)).unwrap();
    let committed = read("README.md");
    let records: Vec<&str> = committed
        .split("](")
        .filter_map(|part| part.split(')').next())
        .collect();
    let records: Vec<&str> = records.into_iter().filter(|path| path.ends_with(".json.gz")).collect();
    let [record, database] = records.as_slice() else {
        panic!("{records:?}")
    };
    if !root().join(record).is_file() || !root().join(database).is_file() {
        return;
    }
    copy(&root().join("bench-results"), &at("bench-results"));
    fs::write(at("README.md"), &committed).unwrap();
    let line = format!("report {record} --results bench-results --readme README.md --database {database}");
    bench(folder.path(), &line).fine();
    let readme = fs::read_to_string(at("README.md")).unwrap();
    assert_eq!(readme, committed, "`bench report` with these records writes the block");

    fs::create_dir_all(at(READING).parent().unwrap()).unwrap();
    let check = |readme: &str, reading: &str| {
        fs::write(at("README.md"), readme).unwrap();
        fs::write(at(READING), reading).unwrap();
        python("readme.py", &at("README.md"))
    };
    check(&readme, &read(READING)).fine();
    let reading = read(READING).replacen("| `valid` | ", "| `valid` | never ", 1);
    let output = check(&readme.replacen("| best | ", "| +99 % | ", 1), &reading);
    assert!(
        output.status == Some(1)
            && output.stdout.contains("the verdict `valid`")
            && output.stdout.contains("says +99 %"),
        "{output:#?}"
    );
}

#[test]
fn a_table_of_a_page_is_what_its_records_say_and_its_check_sees_another_figure() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.md");
    let text = fs::read_to_string(root().join("scripts/harness/docs/older-benchmarks.md")).unwrap();
    fs::write(&page, &text).unwrap();
    python("tables.py", &page).fine();
    fs::write(&page, text.replacen("<br><sub>", "<br><sub>9", 1)).unwrap();
    let output = python("tables.py", &page);
    assert!(
        output.status == Some(1) && output.stdout.contains("its records say otherwise"),
        "{output:#?}"
    );
}

/// Has a program of the documentation check a file.
fn python(program: &str, file: &Path) -> CommandOutput {
    let mut python = Command::new("python3");
    python
        .arg(root().join("scripts/harness/docs").join(program))
        .arg(file)
        .current_dir(root());
    CommandOutput::run(python)
}
