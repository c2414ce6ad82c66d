//! What follows from the committed results: verdicts, ratios, intervals, ranks, decisions, tallies and changes, in one file. A change of
//! the code that is not meant to change a figure leaves it as it is, to eight digits: beyond them, cpus differ in their mathematics.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use analyze::compare::outcome::Comparison;
use analyze::history::{NoLockfiles, Timeline, judge};
use analyze::plausibility::{Expected, findings};
use analyze::rounding::significant;
use analyze::{probes, reading};
use model::probe::PROBES;
use model::scenario::Scenario;
use model::store::{self, LARGEST, read_text};
use model::{Cell, Lane, Metric, Record};

use crate::files::command::root;

/// Every JSON file below a folder, by path.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json" || extension == "gz")
        })
        .collect();
    found.sort();
    found
}

/// One metric's figures in a scenario, folded into one number.
fn folded<'a>(cells: impl Iterator<Item = &'a Cell>, metric: Metric) -> u64 {
    let mut sum = 0_u64;
    let mut fold = |bits: u64| sum = sum.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ bits;
    let digits = |figure: f64| significant(figure, 8).to_bits();
    for summary in cells.filter_map(|cell| cell.metrics.get(&metric)) {
        let ratio = summary.ratio.as_ref();
        let intervals = [summary.interval, ratio.and_then(|ratio| ratio.interval)];
        fold(digits(summary.median));
        fold(ratio.map_or(0, |ratio| digits(ratio.estimate)));
        for interval in intervals {
            let (low, high) = interval.map_or((0.0, 0.0), |interval| (interval.low, interval.high));
            fold(digits(low));
            fold(digits(high));
        }
        let (best, worst) = summary.rank.map_or((0, 0), |rank| (rank.best, rank.worst));
        fold(u64::from(best) << 32 | u64::from(worst));
        summary.behind.iter().for_each(|place| fold(*place as u64));
    }
    (sum >> 32) ^ (sum & 0xffff_ffff)
}

fn cells<'a>(record: &'a Record, scenario: &'a Scenario) -> impl Iterator<Item = &'a Cell> {
    record.summary.iter().filter(|cell| cell.scenario == scenario.id)
}

fn of_record(name: &str, record: &Record, golden: &mut String) {
    let now = record.finished_at;
    let refused = findings(
        record,
        &Expected {
            now,
            ..Expected::default()
        },
    );
    assert_eq!(refused, [""; 0], "{name} contradicts itself");
    for scenario in &record.scenarios {
        let mut verdicts: BTreeMap<String, u32> = BTreeMap::new();
        for cell in cells(record, scenario) {
            *verdicts.entry(format!("{:?}", cell.verdict)).or_default() += 1;
        }
        writeln!(golden, "{name} {}: {verdicts:?}", scenario.id).unwrap();
    }
    // A column for each scenario, so that a metric that moves shows as such, and a new one as a new line.
    let metrics: BTreeSet<Metric> = record
        .summary
        .iter()
        .flat_map(|cell| cell.metrics.keys().copied())
        .collect();
    for metric in metrics {
        let columns = record.scenarios.iter();
        let columns = columns.map(|scenario| format!("{:08x}", folded(cells(record, scenario), metric)));
        writeln!(
            golden,
            "{name} {}: {}",
            metric.id(),
            columns.collect::<Vec<_>>().join(" ")
        )
        .unwrap();
    }
}

fn of_comparison(name: &str, comparison: &Comparison, golden: &mut String) {
    let digits = |figure: f64| significant(figure, 8);
    for series in &comparison.series {
        let (app, variant, scenario, metric) = (&series.app, &series.variant, &series.scenario, series.metric);
        let interval = series.interval.map(|it| [it.low, it.high].map(digits));
        writeln!(
            golden,
            "{name} {app} {variant} {scenario} {metric:?}: {:?} {:?} {interval:?}",
            series.decision,
            series.change.map(digits)
        )
        .unwrap();
    }
    writeln!(golden, "{name}: {:?}", comparison.decision).unwrap();
}

#[test]
fn what_follows_from_the_committed_results_is_what_it_was() {
    let results = root().join("bench-results");
    let mut golden = String::new();
    // Not what the weekly pull requests bring: each would change this, and its merge break main.
    let probes = results.join("probes/20261126T010034Z-958.json.gz");
    // Nor runs of the reader's own: these are not compressed.
    let is_own = |path: &PathBuf| {
        path.extension().is_some_and(|end| end == "json") && store::id_of(path).is_some_and(|id| id.starts_with("20"))
    };
    let committed = files(&results.join("local")).into_iter().filter(|path| !is_own(path));
    for path in committed.chain([probes]) {
        let name = path.strip_prefix(&results).unwrap().display().to_string();
        let name = name.trim_end_matches(".gz");
        let text = read_text(&path, LARGEST).unwrap();
        let record = reading::parse(&path, &text);
        if let Some(record) = record.as_ref().ok().filter(|record| record.folder() == PROBES) {
            for subject in probes::subjects(record) {
                let tally = subject.tally(None);
                writeln!(golden, "{name} {}: {tally:?}", subject.label()).unwrap();
            }
        } else if let Ok(record) = record {
            of_record(name, &record, &mut golden);
        } else if let Ok(comparison) = Comparison::parse(text.as_bytes()) {
            of_comparison(name, &comparison, &mut golden);
        }
    }
    let folder = results.join(Lane::Local.name());
    let paths = store::all(&results).into_iter();
    let paths = paths.filter(|path| path.parent() == Some(&folder) && !is_own(path));
    let records: Vec<Record> = paths.map(|path| reading::read(&path).unwrap()).collect();
    let story = judge(&Timeline::from_records(&records), &NoLockfiles);
    writeln!(
        golden,
        "history: {} followed, {} changes",
        story.judged,
        story.changes.len()
    )
    .unwrap();
    insta::assert_snapshot!(golden);
}
