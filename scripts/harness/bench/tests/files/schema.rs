//! Schemas and the site's words are generated from the types and committed: for results, next to them; for what is published, next to
//! its description.

use std::fs;
use std::path::{Path, PathBuf};

use analyze::compare::outcome::Comparison;
use analyze::compare::self_test::SelfTest;
use analyze::history::HistoryReport;
use analyze::probes::{ProbeStory, WhatBreaks};
use analyze::reading;
use model::Record;
use model::probe::Probes;
use model::store;
use report::publish::{Fact, add};
use report::site::{Figures, Forecasts, Index, RunFigures, Runs, Scaling, Summaries, words};
use schemars::{Schema, schema_for};
use serde::Serialize;

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../bench-results")
}

fn published() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/published")
}

fn pretty(document: &impl Serialize) -> String {
    format!("{}\n", serde_json::to_string_pretty(document).unwrap())
}

fn committed(path: &Path, text: &str) {
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(path, text).unwrap();
    }
    assert!(
        fs::read_to_string(path).unwrap_or_default() == text,
        "{}: run with UPDATE_SCHEMA=1, and look at what changed",
        path.display()
    );
}

/// `UPDATE_SCHEMA=1 cargo test -p bench --test command schema` writes them.
#[test]
fn the_committed_schemas_match_the_types() {
    let schemas: [(PathBuf, &str, Schema); 14] = [
        (results(), "record", schema_for!(Record)),
        (results(), "probes", schema_for!(Probes)),
        (results(), "comparison", schema_for!(Comparison)),
        (results(), "self-test", schema_for!(SelfTest)),
        (published(), "index", schema_for!(Index)),
        (published(), "runs", schema_for!(Runs)),
        (published(), "figures", schema_for!(Figures)),
        (published(), "run", schema_for!(RunFigures)),
        (published(), "summaries", schema_for!(Summaries<'_>)),
        (published(), "changes", schema_for!(HistoryReport)),
        (published(), "breaks", schema_for!(WhatBreaks)),
        (published(), "probe-changes", schema_for!(ProbeStory)),
        (published(), "scaling", schema_for!(Scaling<'_>)),
        (published(), "forecasts", schema_for!(Forecasts)),
    ];
    for (folder, name, schema) in schemas {
        committed(&folder.join(format!("{name}.schema.json")), &pretty(&schema));
    }
}

/// Written in the same way.
#[test]
fn the_committed_words_match_the_harness() {
    committed(&published().join("words.json"), &pretty(&words()));
}

/// Written in the same way.
#[test]
fn the_docs_say_of_verdicts_what_the_site_says() {
    const HEAD: &str = "| verdict | what happened | what still counts |\n| --- | --- | --- |\n";
    let path = results().join("../scripts/harness/docs/reading.md");
    let docs = fs::read_to_string(&path).unwrap();
    let (before, table) = docs.split_once(HEAD).unwrap();
    let (_, after) = table.split_once("\n\n").unwrap();
    let words = words();
    let rows = words["verdicts"].as_array().unwrap().iter().map(|verdict| {
        let [id, happened, counts] = ["id", "happened", "counts"].map(|key| verdict[key].as_str().unwrap());
        format!("| `{id}` | {happened} | {counts} |\n")
    });
    committed(&path, &format!("{before}{HEAD}{}\n{after}", rows.collect::<String>()));
}

/// Whatever is committed can be read, and published.
#[test]
fn the_committed_records_are_records() {
    let folder = tempfile::tempdir().unwrap();
    let mut read = 0;
    for path in store::all(&results()) {
        let record = reading::read(&path).unwrap();
        let fact = Fact::of_record(folder.path(), record.clone());
        add(folder.path(), std::slice::from_ref(&fact)).unwrap();
        let published = reading::read(&fact.path).unwrap();
        assert!(
            published.summary == record.summary,
            "{}: its trials say something else",
            path.display()
        );
        read += 1;
    }
    assert!(read > 0, "no record is committed");
}
