//! What differs between two runs of a lane: the figures that moved, the verdicts that changed, and the changes of frameworks,
//! tools and machine. A pure function of two records.

use std::collections::BTreeSet;

use model::{Cell, Metric, Ratio, Record, Role, Verdict};

use crate::history::{Cause, Lockfiles, between};

/// The metrics that are compared: the ranked ones, and memory under load. All are ratios to the reference, which was part of both
/// runs, so the machine's effect on a whole run cancels.
pub const COMPARED_METRICS: [Metric; 3] = [Metric::ServerCpuUsPerRequest, Metric::GoodputRps, Metric::RssPeakBytes];

/// Smallest change of a ratio that is reported: smaller ones do not matter from one week to the next, however certain.
pub const SMALLEST: f64 = 0.03;

/// The difference between two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDiff<'a> {
    /// Figures that moved, the largest change first.
    pub moved: Vec<Moved<'a>>,
    /// Number of figures that were compared.
    pub compared: usize,
    /// Cells whose verdict changed, with the verdict then, in the order of the record.
    pub verdicts: Vec<(&'a Cell, Verdict)>,
    /// What else is different, of what all apps share.
    pub shared: Vec<Cause>,
    /// The same of what apps were built from, each with the apps.
    pub own: Vec<(Cause, BTreeSet<&'a str>)>,
    /// Apps that are new, and apps that are gone.
    pub apps: [(&'static str, BTreeSet<&'a str>); 2],
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

impl Moved<'_> {
    /// Whether both intervals cover another session. Where they do not, what sessions differ by moves figures too.
    pub fn is_beyond_sessions(&self) -> bool {
        self.before.sessions.is_some() && self.now.sessions.is_some()
    }
}

/// What differs in `now`.
pub fn run_diff<'a>(before: &'a Record, now: &'a Record, lockfiles: &dyn Lockfiles) -> RunDiff<'a> {
    let old = |cell: &Cell| before.cell(&cell.app, &cell.variant, &cell.scenario);
    let pairs: Vec<(&Cell, &Cell)> = now.summary.iter().filter_map(|cell| Some((old(cell)?, cell))).collect();
    // The reference's own ratio is 1 by definition, and the ceiling is no framework.
    let is_framework = |cell: &Cell| {
        let app = now.app(&cell.app, &cell.variant);
        app.is_some_and(|app| app.role == Role::Framework)
    };
    let compared = pairs.iter().filter(|(_, new)| is_framework(new));
    let mut moved: Vec<Moved> = compared.flat_map(|(old, new)| figures(old, new)).collect();
    let compared = moved.len();
    moved.retain(has_moved);
    moved.sort_by(|one, other| other.change.abs().total_cmp(&one.change.abs()));
    let other_verdict = pairs.iter().filter(|(old, new)| old.verdict != new.verdict);
    let only = |one: &'a Record, other: &Record| {
        let lacking = one.apps.iter().filter(|app| other.app(&app.id, &app.variant).is_none());
        lacking.map(|app| app.name.as_str()).collect()
    };
    let (shared, own) = between(before, now, lockfiles);
    RunDiff {
        moved,
        compared,
        verdicts: other_verdict.map(|(old, new)| (*new, old.verdict)).collect(),
        shared,
        own,
        apps: [("New apps", only(now, before)), ("Gone apps", only(before, now))],
    }
}

/// Ratios that both runs trust and give an interval.
fn figures<'a>(old: &'a Cell, new: &'a Cell) -> impl Iterator<Item = Moved<'a>> {
    COMPARED_METRICS.into_iter().filter_map(move |metric| {
        let ratio = |cell: &'a Cell| {
            let summary = cell.trusted(metric)?;
            summary.ratio.as_ref().filter(|ratio| ratio.interval.is_some())
        };
        let (before, now) = (ratio(old)?, ratio(new)?);
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

/// Whether the intervals do not overlap and the change is large enough to report.
fn has_moved(moved: &Moved) -> bool {
    let both = moved.before.interval.zip(moved.now.interval);
    both.is_some_and(|(before, now)| before.high < now.low || now.high < before.low) && moved.change.abs() >= SMALLEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::outcome::Dependency;
    use crate::history::{Kind, NoLockfiles};
    use model::Interval;

    fn run_diff<'a>(before: &'a Record, now: &'a Record) -> RunDiff<'a> {
        super::run_diff(before, now, &NoLockfiles)
    }

    fn ratio_of<'a>(record: &'a mut Record, app: &str) -> &'a mut Ratio {
        let cell = record.summary.iter_mut().find(|cell| cell.app == app).unwrap();
        let summary = cell.metrics.get_mut(&Metric::ServerCpuUsPerRequest).unwrap();
        summary.trusted = true;
        summary.ratio.get_or_insert_default()
    }

    fn set(record: &mut Record, app: &str, median: f64, spread: f64) {
        *ratio_of(record, app) = Ratio {
            estimate: median,
            interval: Some(Interval::around(median, spread)),
            ..Ratio::default()
        };
    }

    #[test]
    fn nothing_is_different_between_a_run_and_itself() {
        let record = samples::record();
        let since = run_diff(&record, &record);
        assert!(since.compared > 0);
        assert!(since.moved.is_empty() && since.verdicts.is_empty());
        assert!(since.shared.is_empty() && since.own.is_empty());
        assert!(since.apps.iter().all(|(_, apps)| apps.is_empty()));
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
    fn versions_apps_verdicts_and_machine_are_reported() {
        let (mut one, mut other) = (samples::record(), samples::record());
        let app = one.apps.iter_mut().find(|app| app.id == "axum").unwrap();
        app.framework_version = "0.7.0".into();
        one.apps.retain(|app| app.id != "hyper");
        other.apps.retain(|app| app.id != "rocket");
        other.environment.cpu_model = "another".into();
        other.environment.database = samples::full().environment.database;
        other.summary[0].verdict = Verdict::Crashed;
        let since = run_diff(&one, &other);
        let shared: Vec<&str> = since.shared.iter().map(|cause| &*cause.name).collect();
        assert_eq!(shared, ["machine", "database"]);
        let own = since.own.iter().map(|(cause, _)| (&*cause.name, &*cause.before));
        assert_eq!(own.collect::<Vec<_>>(), [("axum", "0.7.0")]);
        assert_eq!(since.apps.map(|(_, apps)| apps.len()), [1, 1]);
        assert_eq!(since.verdicts.len(), 1);
    }

    /// Every app contains another tokio, and axum another version of itself, too.
    #[derive(Debug)]
    struct Tokio;

    impl Lockfiles for Tokio {
        fn moved(&self, _: &str, _: &str, app: &str) -> Option<Vec<Dependency>> {
            let moved = |name: &str| Dependency {
                name: name.into(),
                before: vec!["1.47.0".into()],
                after: vec!["1.48.0".into()],
            };
            match app {
                "axum" => Some(vec![moved("axum"), moved("tokio"), moved("matchit")]),
                "hyper" => None,
                _ => Some(vec![moved("tokio")]),
            }
        }
    }

    #[test]
    fn a_crate_that_all_share_is_named_once() {
        let (mut one, other) = (samples::record(), samples::record());
        for app in &mut one.apps {
            app.lockfile_hash = "other".into();
        }
        for axum in one.apps.iter_mut().filter(|app| app.id == "axum") {
            axum.framework_version = "0.7.0".into();
        }
        let since = super::run_diff(&one, &other, &Tokio);
        let moved = since.own.iter().filter(|(cause, _)| cause.kind == Kind::Dependency);
        let named: Vec<(&str, usize)> = moved.map(|(moved, apps)| (&*moved.name, apps.len())).collect();
        let frameworks: BTreeSet<&str> = other.apps.iter().map(|app| app.name.as_str()).collect();
        assert_eq!(
            named,
            [("tokio", frameworks.len() - 1), ("matchit", 1), ("Cargo.lock", 1)],
            "and where no lockfile says it"
        );
    }
}
