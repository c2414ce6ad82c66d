//! Records on disk: found by name, written completely or not at all.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use model::store::{StoreError, find, write};
use model::{CLOCKS, Record};

const NOW: Timestamp = Timestamp::MAX;

/// As it is stored: without what follows from it.
fn record() -> Record {
    let mut record = samples::record();
    record.summary.clear();
    record
}

fn read(path: &Path) -> Record {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_latest_is_none_of_the_future() {
    let folder = tempfile::tempdir().unwrap();
    let record = record();
    let path = write(folder.path(), &record).unwrap();
    for id in ["99991230T220000Z-2a", "20261121T110200Z-1"] {
        let mut later = record.clone();
        later.id = id.into();
        write(folder.path(), &later).unwrap();
    }
    assert_eq!(find(folder.path(), "latest", record.started_at).unwrap(), path);
    let before = record.started_at - CLOCKS - CLOCKS;
    assert!(matches!(
        find(folder.path(), "latest", before),
        Err(StoreError::Missing(_))
    ));
}

#[test]
fn what_is_written_is_read_and_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let record = record();
    let path = write(folder.path(), &record).unwrap();
    assert_eq!(read(&path), record);
    assert!(matches!(write(folder.path(), &record), Err(StoreError::Exists(_))));
    assert_eq!(find(folder.path(), "latest", NOW).unwrap(), path);
    assert_eq!(find(folder.path(), &record.id, NOW).unwrap(), path);
    assert!(matches!(
        find(folder.path(), "20000101T000000Z-1", NOW),
        Err(StoreError::Missing(_))
    ));
    assert_eq!(
        fs::read_dir(path.parent().unwrap()).unwrap().count(),
        1,
        "no temporary file is left"
    );
}

#[test]
fn of_two_that_write_the_same_record_one_wins() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let mut records = [record(), record()];
        records[1].harness.version = "another".into();
        let gate = std::sync::Barrier::new(2);
        let written = std::thread::scope(|scope| {
            let writers = records.each_ref().map(|record| {
                scope.spawn(|| {
                    gate.wait();
                    write(folder.path(), record)
                })
            });
            writers.map(|writer| writer.join().unwrap())
        });
        let winner = written.iter().position(Result::is_ok).unwrap();
        let loser = &written[1 - winner];
        assert!(matches!(loser, Err(StoreError::Exists(_))), "{loser:?}");
        let kept = read(written[winner].as_ref().unwrap());
        assert_eq!(kept, records[winner], "the record of the writer that succeeded");
    }
}
