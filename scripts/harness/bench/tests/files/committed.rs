//! What is committed can be read by today's program.

use std::path::{Path, PathBuf};

use analyze::reading;
use apps::profile::Profiles;
use model::store;
use report::publish::{Fact, add};

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../bench-results")
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

/// What nobody has measured is only a promise.
#[test]
fn every_scenario_has_a_record_or_says_why_not() {
    let (profiles, records) = (Profiles::built_in(), reading::newest_of_scenarios(&results()));
    let wrong = profiles.scenario_names();
    let wrong = wrong.filter(|name| records.contains_key(*name) == profiles.unrecorded(name).is_some());
    let (both, neither): (Vec<&str>, Vec<&str>) = wrong.partition(|name| records.contains_key(*name));
    let both = both.join(", ");
    assert!(
        both.is_empty(),
        "in a record, so `unrecorded` must go from profiles.toml: {both}"
    );
    let neither = neither.join(", ");
    assert!(
        neither.is_empty(),
        "in no record below bench-results, and `unrecorded` in profiles.toml does not say why: {neither}"
    );
}
