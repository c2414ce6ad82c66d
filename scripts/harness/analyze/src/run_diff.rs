//! What differs between two runs of a lane: the figures that moved, the verdicts that changed, and the changes of frameworks,
//! tools and machine. A pure function of two records.

use std::collections::BTreeSet;

use model::{Cell, Metric, Ratio, Record, Role, Verdict};

/// The metrics that are compared: the ranked ones, and memory under load. All are ratios to the reference, which was part of both
/// runs, so the machine's effect on a whole run cancels.
pub const COMPARED_METRICS: [Metric; 3] = [Metric::ServerCpuUsPerRequest, Metric::GoodputRps, Metric::RssPeakBytes];

/// Smallest change of a ratio that is reported: smaller ones do not matter from one week to the next, however certain.
pub const SMALLEST: f64 = 0.03;

/// How often two 95 % intervals do not overlap though nothing changed: equally wide, errors independent and normal,
/// P(|z| > 2 · 1.96 / √2) (Schenker and Gentleman, The American Statistician 55, 2001).
pub const EXPECTED_FALSE_POSITIVES: f64 = 0.0056;

/// The difference between two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDiff<'a> {
    /// Figures that moved, the largest change first.
    pub moved: Vec<Moved<'a>>,
    /// Number of figures that were compared.
    pub compared: usize,
    /// Cells whose verdict changed, in the order of the record.
    pub verdicts: Vec<VerdictChanged<'a>>,
    /// Apps whose version changed: name, before, now.
    pub versions: Vec<(&'a str, &'a str, &'a str)>,
    /// Apps of the same version that were built from other sources or dependencies.
    pub rebuilt: Vec<&'a str>,
    /// Apps that only the new run has.
    pub new: Vec<&'a str>,
    /// Apps that only the old run has.
    pub gone: Vec<&'a str>,
    /// Tools and machine: what, before, now.
    pub surroundings: Vec<(&'static str, String, String)>,
    /// Whether the runs were made on different kinds of cpu.
    pub other_machine: bool,
}

/// One figure that moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved<'a> {
    /// The new cell.
    pub cell: &'a Cell,
    /// The metric.
    pub metric: Metric,
    /// Ratio to the reference then.
    pub before: &'a Ratio,
    /// Ratio to the reference now.
    pub now: &'a Ratio,
    /// Now ÷ before − 1.
    pub change: f64,
}

/// A cell whose verdict changed.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictChanged<'a> {
    /// The new cell.
    pub cell: &'a Cell,
    /// Its verdict then.
    pub before: Verdict,
}

/// What differs in `now`.
pub fn run_diff<'a>(before: &'a Record, now: &'a Record) -> RunDiff<'a> {
    let pairs: Vec<(&Cell, &Cell)> = now
        .summary
        .iter()
        .filter_map(|cell| Some((before.cell(&cell.app, &cell.variant, &cell.scenario)?, cell)))
        .collect();
    // The reference's own ratio is 1 by definition, and the ceiling is no framework.
    let is_framework = |cell: &Cell| {
        let app = now.apps.iter().find(|app| app.id == cell.app);
        app.is_some_and(|app| app.role == Role::Framework)
    };
    let compared = pairs.iter().filter(|(_, new)| is_framework(new));
    let figures: Vec<Moved> = compared.flat_map(|(old, new)| figures(old, new)).collect();
    let compared = figures.iter().filter(|figure| has_intervals(figure)).count();
    let mut moved: Vec<Moved> = figures.into_iter().filter(has_moved).collect();
    moved.sort_by(|one, other| other.change.abs().total_cmp(&one.change.abs()));
    let verdicts = pairs
        .iter()
        .filter(|(old, new)| old.verdict != new.verdict)
        .map(|(old, new)| VerdictChanged {
            cell: new,
            before: old.verdict,
        })
        .collect();
    let both = now
        .apps
        .iter()
        .filter_map(|app| Some((before.app(&app.id, &app.variant)?, app)));
    let mut versions: Vec<_> = both
        .clone()
        .filter(|(old, new)| old.framework_version != new.framework_version)
        .map(|(old, new)| {
            (
                new.name.as_str(),
                old.framework_version.as_str(),
                new.framework_version.as_str(),
            )
        })
        .collect();
    versions.dedup(); // variants share a version
    let rebuilt: BTreeSet<&str> = both
        .filter(|(old, new)| old.framework_version == new.framework_version)
        .filter(|(old, new)| (&old.source_hash, &old.lockfile_hash) != (&new.source_hash, &new.lockfile_hash))
        .map(|(_, new)| new.name.as_str())
        .collect();
    let only = |one: &'a Record, other: &Record| -> Vec<&'a str> {
        let lacking = one.apps.iter().filter(|app| other.app(&app.id, &app.variant).is_none());
        let names: BTreeSet<&str> = lacking.map(|app| app.name.as_str()).collect();
        names.into_iter().collect()
    };
    RunDiff {
        moved,
        compared,
        verdicts,
        versions,
        rebuilt: rebuilt.into_iter().collect(),
        new: only(now, before),
        gone: only(before, now),
        surroundings: surroundings(before, now),
        other_machine: before.environment.cpu_model != now.environment.cpu_model
            || before.environment.logical_cpus != now.environment.logical_cpus,
    }
}

/// Ratios that both runs trust.
fn figures<'a>(old: &'a Cell, new: &'a Cell) -> impl Iterator<Item = Moved<'a>> {
    COMPARED_METRICS.into_iter().filter_map(move |metric| {
        let trusted = |cell: &'a Cell| cell.metrics.get(&metric).filter(|summary| summary.trusted);
        let (before, now) = (trusted(old)?.ratio.as_ref()?, trusted(new)?.ratio.as_ref()?);
        let change = now.estimate / before.estimate - 1.0;
        change.is_finite().then_some(Moved {
            cell: new,
            metric,
            before,
            now,
            change,
        })
    })
}

fn has_intervals(moved: &Moved) -> bool {
    moved.before.interval.is_some() && moved.now.interval.is_some()
}

/// Whether the intervals do not overlap and the change is large enough to report.
fn has_moved(moved: &Moved) -> bool {
    let (Some(before), Some(now)) = (moved.before.interval, moved.now.interval) else {
        return false;
    };
    (before.high < now.low || now.high < before.low) && moved.change.abs() >= SMALLEST
}

fn surroundings(before: &Record, now: &Record) -> Vec<(&'static str, String, String)> {
    let machine = |record: &Record| {
        let environment = &record.environment;
        format!("{}, {} cpus", environment.cpu_model, environment.logical_cpus)
    };
    let runner = |record: &Record| record.environment.runner.join(", ");
    let image = |record: &Record| record.environment.runner_image.clone().unwrap_or_default();
    let of = |what: &'static str, tell: &dyn Fn(&Record) -> String| (what, tell(before), tell(now));
    let mut all = vec![
        of("machine", &machine),
        of("kernel", &|record| record.environment.kernel.clone()),
        of("runner image", &image),
        of("runner", &runner),
        of("compiler", &|record| record.environment.rustc.clone()),
        of("load generator", &|record| format!("oha {}", record.environment.oha)),
        of("reference", &|record| {
            let reference = record.apps.iter().find(|app| app.role == Role::Reference);
            reference.map_or_else(String::new, |app| app.source_hash.chars().take(12).collect())
        }),
        of("profile", &|record| record.profile.clone()),
        of("rounds", &|record| record.harness.rounds.to_string()),
    ];
    all.retain(|(_, before, now)| before != now);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Interval;

    fn ratio_of<'a>(record: &'a mut Record, app: &str) -> &'a mut Ratio {
        let cell = record.summary.iter_mut().find(|cell| cell.app == app).unwrap();
        let summary = cell.metrics.get_mut(&Metric::ServerCpuUsPerRequest).unwrap();
        summary.trusted = true;
        summary.ratio.get_or_insert(Ratio {
            estimate: 1.0,
            interval: None,
        })
    }

    fn set(record: &mut Record, app: &str, median: f64, spread: f64) {
        *ratio_of(record, app) = Ratio {
            estimate: median,
            interval: Some(Interval {
                low: median - spread,
                high: median + spread,
            }),
        };
    }

    #[test]
    fn nothing_is_different_between_a_run_and_itself() {
        let record = samples::record();
        let run_diff = run_diff(&record, &record);
        assert!(run_diff.compared > 0);
        let nothing = RunDiff {
            compared: run_diff.compared,
            moved: Vec::new(),
            verdicts: Vec::new(),
            versions: Vec::new(),
            rebuilt: Vec::new(),
            new: Vec::new(),
            gone: Vec::new(),
            surroundings: Vec::new(),
            other_machine: false,
        };
        assert_eq!(run_diff, nothing);
    }

    #[test]
    fn a_figure_moved_if_its_intervals_miss_each_other_by_enough() {
        let moved = |before: (f64, f64), now: (f64, f64)| {
            let (mut one, mut other) = (samples::record(), samples::record());
            set(&mut one, "axum", before.0, before.1);
            set(&mut other, "axum", now.0, now.1);
            run_diff(&one, &other).moved.iter().map(|moved| moved.change).next()
        };
        assert_eq!(moved((1.0, 0.02), (1.25, 0.02)), Some(0.25));
        assert_eq!(moved((1.25, 0.02), (0.625, 0.02)), Some(-0.5));
        assert_eq!(moved((1.0, 0.2), (1.25, 0.2)), None, "the intervals overlap");
        assert_eq!(moved((1.0, 0.001), (1.02, 0.001)), None, "sure, and too small");
    }

    #[test]
    fn what_is_not_trusted_or_has_no_interval_has_not_moved() {
        let (mut one, mut other) = (samples::record(), samples::record());
        set(&mut one, "axum", 1.0, 0.01);
        set(&mut other, "axum", 2.0, 0.01);
        assert_eq!(run_diff(&one, &other).moved.len(), 1);
        ratio_of(&mut other, "axum").interval = None;
        assert_eq!(run_diff(&one, &other).moved.len(), 0);
        set(&mut other, "axum", 2.0, 0.01);
        let cell = other.summary.iter_mut().find(|cell| cell.app == "axum").unwrap();
        cell.metrics.get_mut(&Metric::ServerCpuUsPerRequest).unwrap().trusted = false;
        assert_eq!(run_diff(&one, &other).moved.len(), 0);
    }

    #[test]
    fn versions_apps_verdicts_and_machine_are_told() {
        let (mut one, mut other) = (samples::record(), samples::record());
        let app = one.apps.iter_mut().find(|app| app.id == "axum").unwrap();
        app.framework_version = "0.7.0".into();
        one.apps.retain(|app| app.id != "hyper");
        other.apps.retain(|app| app.id != "rocket");
        other.environment.cpu_model = "another".into();
        other.summary[0].verdict = Verdict::Crashed;
        let run_diff = run_diff(&one, &other);
        assert_eq!(run_diff.versions.len(), 1);
        assert_eq!(run_diff.versions[0].1, "0.7.0");
        assert_eq!((run_diff.new.len(), run_diff.gone.len()), (1, 1));
        assert_eq!(run_diff.verdicts.len(), 1);
        assert!(run_diff.other_machine && run_diff.surroundings.iter().any(|(what, ..)| *what == "machine"));
    }
}
