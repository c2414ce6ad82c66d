//! How often a comparison is wrong, by pairs that were recorded on a real machine with the same program on both sides; and
//! that what docs/compare.md says of it is what comes out.

use std::fs;
use std::path::{Path, PathBuf};

use judge::compare::gates::{Gates, Gauge};
use judge::compare::outcome::{Comparison, Decision};
use judge::compare::recording::Recording;
use judge::compare::rehearsal::{Rehearsal, rehearse};
use tell::report::{Block, rehearsal_block, rehearsal_markdown, replace_block};

use crate::common::Bench;

pub fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/base-against-base.json")
}

fn published() -> Rehearsal {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../bench-results/local/self-test.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// A thousand of them, and every power, are in `slow`.
#[test]
fn comparisons_without_a_change_name_none_and_a_large_one_is_found() {
    let gates = Gates::built_in();
    let rehearsal = rehearse(&Recording::read(&fixture()).unwrap(), &gates, 20, 1);
    assert_eq!((rehearsal.live.comparisons, rehearsal.live.named), (12, 0));
    assert_eq!(rehearsal.live.builds, 2);
    assert!((0.776..0.777).contains(&rehearsal.live.at_most));
    assert_eq!((rehearsal.drawn.comparisons, rehearsal.drawn.named), (20, 0));
    assert!(!rehearsal.breaks_the_promise(&gates));
    for power in &rehearsal.power {
        assert!(power.found[&20] >= 0.9, "{power:?}");
    }
}

/// The recording with head's CPU per request multiplied by what `factor` says of each comparison.
fn biased(factor: impl Fn(usize) -> f64) -> Recording {
    let mut recording = Recording::read(&fixture()).unwrap();
    for (index, comparison) in recording.comparisons.iter_mut().enumerate() {
        let cpu = comparison.iter_mut();
        for series in cpu.filter(|series| series.gauge == Gauge::ServerCpuUsPerRequest) {
            series.head.iter_mut().for_each(|head| *head *= factor(index));
        }
    }
    recording
}

/// A machine that favours base by this much in every pair must not be told to be fine.
#[test]
fn what_favours_one_side_is_told() {
    let gates = Gates::built_in();
    for (bias, live, drawn) in [(1.05, 11, 100), (1.03, 10, 90)] {
        let rehearsal = rehearse(&biased(|_| bias), &gates, 100, 1);
        assert!(
            rehearsal.live.named >= live && rehearsal.drawn.named >= drawn,
            "{rehearsal:?}"
        );
        assert!(rehearsal.breaks_the_promise(&gates));
        assert!(rehearsal_markdown(&rehearsal).contains("More than promised"));
        for power in rehearsal.power {
            let shift = power.shift_interval.unwrap();
            let favoured = power.gauge == Gauge::ServerCpuUsPerRequest;
            assert_eq!(shift.low > bias - 1.01, favoured, "{shift:?}");
        }
    }
}

/// What favours base in one comparison and head in the next leaves no trace in pairs that were thrown together.
#[test]
fn what_favours_one_side_for_one_comparison_is_told_too() {
    let gates = Gates::built_in();
    let turns = |index: usize| if index.is_multiple_of(2) { 1.04 } else { 1.0 / 1.04 };
    let rehearsal = rehearse(&biased(turns), &gates, 100, 1);
    assert!(
        rehearsal.live.named >= 11 && rehearsal.drawn.named >= 80,
        "{rehearsal:?}"
    );
    assert!(rehearsal.breaks_the_promise(&gates));
}

/// What is decided from the pairs that were kept is what the comparisons themselves said.
#[test]
fn live_comparisons_are_judged_as_they_were() {
    let live = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../bench-results/local/compare-live");
    let mut told = 0;
    for folder in [
        "base-against-base",
        "base-against-base-on-xeon",
        "cpu-5-percent-more",
        "cpu-20-percent-more",
        "instructions-2-percent-more",
        "slices-cpu-9-percent-more",
    ] {
        for path in files(&live.join(folder)) {
            let said: Comparison = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            let rehearsal = rehearse(&Recording::read(&path).unwrap(), &Gates::built_in(), 0, 1);
            let named = said.decision == Decision::Regression;
            assert_eq!(rehearsal.live.named, u32::from(named), "{}", path.display());
            told += 1;
        }
    }
    assert_eq!(told, 46);
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The fixture is no hand-made file: it is what the committed comparisons of a program with itself hold, in their order.
#[test]
fn the_recording_is_that_of_the_live_comparisons() {
    let live =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../bench-results/local/compare-live/base-against-base");
    let each = files(&live).into_iter().map(|path| Recording::read(&path).unwrap());
    let pooled = each.reduce(|all, more| all.pooled(more).unwrap()).unwrap();
    let fixture = Recording::read(&fixture()).unwrap();
    assert_eq!(
        (pooled.builds, pooled.comparisons),
        (fixture.builds, fixture.comparisons)
    );
}

#[test]
fn the_docs_say_what_was_found() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/compare.md");
    let docs = fs::read_to_string(docs).unwrap();
    let block = rehearsal_block(
        &published(),
        "../../../bench-results/local/self-test.svg",
        "../../../bench-results/local/self-test.json",
    );
    assert!(
        replace_block(&docs, Block::SelfTest, &block).unwrap() == docs,
        "write it again: see docs/compare.md"
    );
}

mod slow {
    use super::*;

    #[test]
    fn comparisons_without_a_change_name_none_and_what_counts_is_found() {
        let gates = Gates::built_in();
        let rehearsal = rehearse(&Recording::read(&fixture()).unwrap(), &gates, 1_000, 1);
        assert_eq!((rehearsal.live.comparisons, rehearsal.live.named), (12, 0));
        assert!((0.776..0.777).contains(&rehearsal.live.at_most));
        assert_eq!(rehearsal.drawn.comparisons, 1_000);
        assert!(rehearsal.drawn.named <= 10, "{} named a change", rehearsal.drawn.named);
        assert!(!rehearsal.breaks_the_promise(&gates));
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
        assert_eq!(rehearsal, published(), "write it again: see docs/compare.md");
    }

    #[test]
    fn recordings_are_pooled_replayed_and_written_into_the_docs() {
        let bench = Bench::on_fixtures();
        let docs = bench.results().join("docs");
        // The repository, in which links may climb.
        fs::create_dir_all(bench.results().join(".git")).unwrap();
        fs::create_dir_all(&docs).unwrap();
        let readme = docs.join("compare.md");
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
        assert_eq!(
            twice.comparisons,
            [single.comparisons.clone(), single.comparisons].concat()
        );
        assert_eq!((rates.live.comparisons, rates.live.builds), (24, 2));
        assert!(told.stdout.contains("**False alarms: 0 of 24 live comparisons**"));
        let text = fs::read_to_string(&readme).unwrap();
        assert!(text.contains("(../rates.svg)") && !text.contains("before"), "{text}");
        assert!(bench.results().join("rates.svg").is_file());
    }
}
