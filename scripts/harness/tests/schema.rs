//! The schema of the record is generated from the types, and committed beside the results.

#![allow(clippy::unwrap_used)] // in a test, an unwrap is an assertion

use std::fs;
use std::path::Path;

use harness::record::Record;
use harness::store;

fn results() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench-results")
}

/// `UPDATE_SCHEMA=1 cargo test -p harness --test schema` writes it.
#[test]
fn the_committed_schema_is_that_of_the_types() {
    let path = results().join("record.schema.json");
    let schema = schemars::schema_for!(Record);
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == text,
        "run with UPDATE_SCHEMA=1, and look at what changed"
    );
}

/// Whatever is committed can be read, and its summary is what its trials say.
#[test]
fn the_committed_records_are_records() {
    let mut read = 0;
    for lane in fs::read_dir(results())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
    {
        for path in fs::read_dir(lane).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "json") {
                let record = store::read(&path).unwrap();
                let summary = harness::analysis::summary(&record.apps, &record.scenarios, &record.trials);
                assert_eq!(summary, record.summary, "{}", path.display());
                read += 1;
            }
        }
    }
    assert!(read > 0, "no record is committed");
}
