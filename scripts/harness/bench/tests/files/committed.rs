//! What is committed can be read by today's program.

use std::path::{Path, PathBuf};

use analyze::reading;
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
