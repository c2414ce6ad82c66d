//! How often a comparison is wrong, by pairs that were recorded on a real machine with the same program on both sides; and
//! that what docs/compare.md says of it is what comes out.

use std::fs;
use std::path::PathBuf;

use analyze::compare::gates::Gates;
use analyze::compare::outcome::Comparison;
use analyze::compare::self_test::{SelfTest, read, self_test};
use model::Metric;
use report::{ReadmeBlock, replace_block, self_test_block, self_test_markdown};

use crate::common::{Bench, CommandOutput};
use crate::files::command::{bench, root};

/// The committed comparisons in a folder.
pub fn live(folder: &str) -> Vec<PathBuf> {
    let live = root().join("bench-results/local/compare-live");
    let entries = fs::read_dir(live.join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Comparisons of a program with itself that were made on a real machine.
fn recording() -> Vec<Comparison> {
    let each = live("self-test").into_iter();
    let text: String = each.map(|path| fs::read_to_string(path).unwrap()).collect();
    read(&text, None).unwrap()
}

fn published() -> SelfTest {
    let path = root().join("bench-results/local/self-test.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_comparison_is_shown_as_it_is_committed() {
    let path = "bench-results/local/releases/compare/warp-0.4.3.json.gz";
    let shown = bench(&root(), &format!("report {path}")).fine();
    assert!(
        shown.stdout.contains("-0.3 % CPU per request [-1.3, 0.9]"),
        "{shown:#?}"
    );
}

/// A thousand of them, and every power, are in `slow`.
#[test]
fn comparisons_without_a_change_name_none_and_a_large_one_is_found() {
    let gates = Gates::built_in();
    let self_test = self_test(&recording(), &gates, 20, 1);
    assert_eq!((self_test.live.comparisons, self_test.live.named), (10, 0));
    assert_eq!(self_test.live.builds, 10);
    // None of ten, at a rate p: (1 − p)¹⁰ is 5 %.
    assert!((0.258..0.259).contains(&self_test.live.at_most));
    assert_eq!((self_test.drawn.comparisons, self_test.drawn.named), (20, 0));
    assert!(!self_test.breaks_the_promise(&gates));
    for power in &self_test.power {
        assert!(power.found[&20] >= 0.9, "{power:?}");
    }
    assert!(self_test_markdown(&self_test).contains(" named a change, each of another pair of builds: "));
}

#[test]
fn comparisons_of_the_same_builds_count_once() {
    let mut recording = recording();
    let side = recording[0].head.clone();
    for comparison in &mut recording {
        (comparison.base, comparison.head) = (side.clone(), side.clone());
    }
    let text = self_test_markdown(&self_test(&recording, &Gates::built_in(), 20, 1));
    assert!(
        text.contains(" named a change. They share 1 pair of builds, and "),
        "{text}"
    );
    assert!(text.contains("fewer than 95 in 100 pairs of builds"), "{text}");
}

/// The recording with head's CPU per request multiplied by what `factor` says of each comparison.
fn biased(factor: impl Fn(usize) -> f64) -> Vec<Comparison> {
    let mut recording = recording();
    for (index, comparison) in recording.iter_mut().enumerate() {
        let cpu = comparison.series.iter_mut();
        for series in cpu.filter(|series| series.metric == Metric::ServerCpuUsPerRequest) {
            series.pairs.iter_mut().for_each(|pair| pair.head *= factor(index));
        }
    }
    recording
}

/// A machine that favours base by this much in every pair must not be called fine.
#[test]
fn what_favours_one_side_is_reported() {
    let gates = Gates::built_in();
    for (bias, live, drawn) in [(1.05, 10, 100), (1.03, 6, 90)] {
        let self_test = self_test(&biased(|_| bias), &gates, 100, 1);
        assert!(
            self_test.live.named >= live && self_test.drawn.named >= drawn,
            "{self_test:?}"
        );
        assert!(self_test.breaks_the_promise(&gates));
        assert!(self_test_markdown(&self_test).contains("More than promised"));
        for power in self_test.power {
            let shift = power.shift_interval.unwrap();
            let favoured = power.metric == Metric::ServerCpuUsPerRequest;
            assert_eq!(shift.low > bias - 1.015, favoured, "{shift:?}");
        }
    }
}

/// What favours base in one comparison and head in the next leaves no trace in pairs that were thrown together.
#[test]
fn what_favours_one_side_for_one_comparison_is_reported_too() {
    let gates = Gates::built_in();
    let turns = |index: usize| if index.is_multiple_of(2) { 1.04 } else { 1.0 / 1.04 };
    let self_test = self_test(&biased(turns), &gates, 100, 1);
    assert!(
        self_test.live.named >= 8 && self_test.drawn.named >= 80,
        "{self_test:?}"
    );
    assert!(self_test.breaks_the_promise(&gates));
}

/// A change of a comparison that can be pooled.
type Change = fn(&mut Comparison);

#[test]
fn what_cannot_be_pooled_is_refused() {
    let right = recording().swap_remove(0);
    let refused = |change: Change| {
        let mut other = right.clone();
        change(&mut other);
        read(&serde_json::to_string(&other).unwrap(), Some(&right)).unwrap_err()
    };
    let table: [(Change, &str); 7] = [
        (|other| other.series.truncate(1), "other scenarios"),
        (
            |other| other.series.iter_mut().for_each(|series| series.app = "rocket".into()),
            "another app",
        ),
        (|other| other.series[0].variant = "tuned".into(), "several apps"),
        (|other| other.environment = None, "measured on"),
        (|other| other.series.clear(), "no pair"),
        (|other| other.series[0].pairs.clear(), "no pair"),
        (
            |other| other.series[0].pairs[0].head = 0.0,
            "impossible metric or value",
        ),
    ];
    for (change, expected) in table {
        let error = refused(change);
        assert!(error.contains(expected), "{expected}: {error}");
    }
    assert!(read("{", None).unwrap_err().contains("EOF"));
    assert!(read("", None).unwrap_err().contains("no comparison"));
}

#[test]
fn the_docs_say_what_was_found() {
    let docs = fs::read_to_string(root().join("scripts/harness/docs/compare.md")).unwrap();
    let block = self_test_block(
        &published(),
        "../../../bench-results/local/self-test.svg",
        "../../../bench-results/local/self-test.json",
    );
    assert!(
        replace_block(&docs, ReadmeBlock::SelfTest, &block).unwrap() == docs,
        "write it again: see docs/compare.md"
    );
}

mod slow {
    use super::*;

    #[test]
    fn comparisons_without_a_change_name_none_and_what_counts_is_found() {
        let gates = Gates::built_in();
        let self_test = self_test(&recording(), &gates, 1_000, 1);
        assert_eq!(self_test.drawn.comparisons, 1_000);
        assert!(self_test.drawn.named <= 10, "{} named a change", self_test.drawn.named);
        assert!(!self_test.breaks_the_promise(&gates));
        // What counts is found, and what is much smaller is not named.
        for power in &self_test.power {
            let (effect, small) = match power.metric {
                Metric::InstructionsPerRequest => (2, None),
                Metric::ServerCpuUsPerRequest => (5, Some(1)),
                _ => (10, Some(1)),
            };
            assert!(power.found[&effect] >= 0.9, "{power:?}");
            assert!(small.is_none_or(|small| power.found[&small] <= 0.1), "{power:?}");
        }
        assert_eq!(self_test, published(), "write it again: see docs/compare.md");
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
        let given = live("self-test");
        let mut command = bench.command("compare --self-test --replay");
        command.args(&given).args(&given).arg("--out").arg(&out);
        command.arg("--readme").arg(&readme).arg("--record").arg(&pooled);
        let output = CommandOutput::run(command).fine();
        let rates: SelfTest = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
        let twice = read(&fs::read_to_string(&pooled).unwrap(), None).unwrap();
        assert_eq!(twice, [recording(), recording()].concat());
        assert_eq!((rates.live.comparisons, rates.live.builds), (20, 10));
        assert!(output.stdout.contains("**False alarms: 0 of 20 live comparisons**"));
        let text = fs::read_to_string(&readme).unwrap();
        assert!(text.contains("(../rates.svg)") && !text.contains("before"), "{text}");
        assert!(bench.results().join("rates.svg").is_file());
    }
}
