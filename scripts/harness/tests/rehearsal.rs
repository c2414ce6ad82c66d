//! How often a comparison is wrong, by pairs that were recorded on a real machine with the same program on both sides; and
//! that what README.md and the docs say of it is what comes out.

#![allow(clippy::unwrap_used)] // in a test, an unwrap is an assertion

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use harness::compare::gates::{Gates, Gauge};
use harness::compare::recording::Recording;
use harness::compare::rehearsal::{Rehearsal, rehearse};
use harness::report::{Block, rehearsal_block, replace_block};

use common::Bench;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/base-against-base.json")
}

fn published() -> Rehearsal {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench-results/local/self-test.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn of_a_thousand_comparisons_without_a_change_ten_at_most_name_one() {
    let recording = Recording::read(&fixture()).unwrap();
    assert!(recording.series.iter().all(|series| series.base.len() >= 200));
    let rehearsal = rehearse(&recording, &Gates::built_in(), 1_000, 1);
    assert_eq!(rehearsal.comparisons, 1_000);
    assert!(
        rehearsal.false_alarms <= 10,
        "{} named a change",
        rehearsal.false_alarms
    );
    // What counts is found, and what is much smaller is not named.
    for power in &rehearsal.power {
        let (effect, small) = match power.gauge {
            Gauge::InstructionsPerRequest => (2, None),
            Gauge::ServerCpuUsPerRequest => (5, Some(1)),
            Gauge::GoodputRps => (10, Some(1)),
        };
        assert!(power.found[&effect] >= 0.9, "{power:?}");
        assert!(small.is_none_or(|small| power.found[&small] <= 0.1), "{power:?}");
    }
    assert_eq!(rehearsal, published(), "write it anew: see docs/compare.md");
}

/// The fixture is no hand-made file: it is what the committed comparisons of a program with itself hold, in their order.
#[test]
fn the_recording_is_that_of_the_live_comparisons() {
    let live = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench-results/local/compare-live");
    let mut paths: Vec<PathBuf> = fs::read_dir(live.join("base-against-base"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let pooled = paths.iter().map(|path| Recording::read(path).unwrap());
    let pooled = pooled.reduce(|all, more| all.pooled(more).unwrap()).unwrap();
    let fixture = Recording::read(&fixture()).unwrap();
    assert_eq!((paths.len(), pooled.series), (20, fixture.series));
}

#[test]
fn the_readme_says_what_was_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let block = rehearsal_block(
        &published(),
        "bench-results/local/self-test.svg",
        "bench-results/local/self-test.json",
    );
    assert!(
        replace_block(&readme, Block::SelfTest, &block).unwrap() == readme,
        "write it anew: see docs/compare.md"
    );
    // The same table is in the docs.
    let docs = fs::read_to_string(root.join("scripts/harness/docs/compare.md")).unwrap();
    for row in block.lines().filter(|line| line.starts_with("| ")) {
        assert!(docs.contains(row), "{row}");
    }
}

#[test]
fn recordings_are_pooled_replayed_and_written_beside_readme() {
    let bench = Bench::on_fixtures();
    let readme = bench.results().join("README.md");
    fs::write(
        &readme,
        "# Title\n<!-- self-test:begin -->\nbefore\n<!-- self-test:end -->\n",
    )
    .unwrap();
    let (out, pooled) = (bench.results().join("rates.json"), bench.results().join("pooled.json"));
    let paths = [&fixture(), &fixture(), &out, &readme, &pooled].map(|path| path.to_str().unwrap().to_owned());
    let [one, two, out, readme_path, pooled] = paths.each_ref().map(String::as_str);
    let told = bench.call(&[
        "compare",
        "--self-test",
        "--replay",
        one,
        two,
        "--out",
        out,
        "--readme",
        readme_path,
        "--record",
        pooled,
    ]);
    let told = told.fine();
    let rates: Rehearsal = serde_json::from_str(&fs::read_to_string(out).unwrap()).unwrap();
    let single = Recording::read(&fixture()).unwrap();
    let twice = Recording::read(Path::new(pooled)).unwrap();
    assert_eq!(twice.series[0].base.len(), 2 * single.series[0].base.len());
    assert_eq!(rates.pairs as usize, twice.series[0].base.len());
    assert!(
        told.stdout
            .contains(&format!("**False alarms: {} of 1000 comparisons**", rates.false_alarms))
    );
    let text = fs::read_to_string(&readme).unwrap();
    assert!(text.contains("(rates.svg)") && !text.contains("before"), "{text}");
    assert!(bench.results().join("rates.svg").is_file());
}
