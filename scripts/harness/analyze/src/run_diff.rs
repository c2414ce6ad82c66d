//! What differs between two runs of a lane: the figures that moved, the verdicts that changed, and the changes of frameworks,
//! tools and machine. A pure function of two records.

use std::collections::BTreeSet;

use model::{AppRecord, Cell, Metric, Ratio, Record, Role, Verdict, runner_labels};

use crate::compare::outcome::Dependency;
use crate::history::Lockfiles;

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
    /// Apps whose version changed: name, before, now.
    pub versions: Vec<(&'a str, &'a str, &'a str)>,
    /// Other crates that moved, each with the apps that contain it; the one that most contain first.
    pub crates: Vec<(Dependency, BTreeSet<&'a str>)>,
    /// Apps that differ otherwise, by how they do.
    pub apps: [(&'static str, BTreeSet<&'a str>); 4],
    /// Tools and machine: what, before, now.
    pub surroundings: Vec<(&'static str, String, String)>,
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
    let both = now
        .apps
        .iter()
        .filter_map(|app| Some((before.app(&app.id, &app.variant)?, app)));
    let both: Vec<(&AppRecord, &AppRecord)> = both.collect();
    let crates = crates(before, now, &both, lockfiles);
    let explained: BTreeSet<&str> = crates.iter().flat_map(|(_, apps)| apps).copied().collect();
    let (same, updated): (Vec<_>, Vec<_>) = both
        .into_iter()
        .partition(|(old, new)| old.framework_version == new.framework_version);
    let version = |(old, new): (&'a AppRecord, &'a AppRecord)| {
        (
            new.name.as_str(),
            old.framework_version.as_str(),
            new.framework_version.as_str(),
        )
    };
    let mut versions: Vec<_> = updated.into_iter().map(version).collect();
    versions.dedup(); // variants share a version
    let differing = |differs: &dyn Fn(&AppRecord, &AppRecord) -> bool| {
        let differing = same.iter().filter(|(old, new)| differs(old, new));
        differing.map(|(_, new)| new.name.as_str()).collect()
    };
    let only = |one: &'a Record, other: &Record| {
        let lacking = one.apps.iter().filter(|app| other.app(&app.id, &app.variant).is_none());
        lacking.map(|app| app.name.as_str()).collect()
    };
    let surroundings = surroundings(before).into_iter().zip(surroundings(now));
    let surroundings = surroundings.map(|((what, before), (_, now))| (what, before, now));
    RunDiff {
        moved,
        compared,
        verdicts: other_verdict.map(|(old, new)| (*new, old.verdict)).collect(),
        versions,
        crates,
        apps: [
            ("New apps", only(now, before)),
            ("Gone apps", only(before, now)),
            (
                "Other sources",
                differing(&|old, new| old.source_hash != new.source_hash),
            ),
            (
                "Other dependencies",
                differing(&|old, new| old.lockfile_hash != new.lockfile_hash && !explained.contains(&*new.name)),
            ),
        ],
        surroundings: surroundings.filter(|(_, before, now)| before != now).collect(),
    }
}

/// The crates that moved between two runs, but for the frameworks themselves, with the apps that contain them.
fn crates<'a>(
    before: &Record,
    now: &Record,
    both: &[(&AppRecord, &'a AppRecord)],
    lockfiles: &dyn Lockfiles,
) -> Vec<(Dependency, BTreeSet<&'a str>)> {
    let mut crates: Vec<(Dependency, BTreeSet<&str>)> = Vec::new();
    let Some((one, other)) = before.harness.commit.as_deref().zip(now.harness.commit.as_deref()) else {
        return crates;
    };
    for (_, app) in both.iter().filter(|(old, new)| old.lockfile_hash != new.lockfile_hash) {
        let moved = lockfiles.moved(one, other, &app.id).into_iter().flatten();
        for moved in moved.filter(|moved| moved.name != app.framework) {
            let known = crates.iter_mut().find(|(known, _)| *known == moved);
            match known {
                Some((_, apps)) => drop(apps.insert(&app.name)),
                None => crates.push((moved, BTreeSet::from([&*app.name]))),
            }
        }
    }
    crates.sort_by_key(|(_, apps)| std::cmp::Reverse(apps.len()));
    crates
}

/// Ratios that both runs trust and give an interval.
fn figures<'a>(old: &'a Cell, new: &'a Cell) -> impl Iterator<Item = Moved<'a>> {
    COMPARED_METRICS.into_iter().filter_map(move |metric| {
        let ratio = |cell: &'a Cell| {
            let summary = cell.metrics.get(&metric).filter(|summary| summary.trusted)?;
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

fn surroundings(record: &Record) -> [(&'static str, String); 10] {
    let environment = &record.environment;
    let machine = format!("{}, {} cpus", environment.cpu_model, environment.logical_cpus);
    let runner: Vec<String> = runner_labels(&environment.runner).into_iter().collect();
    let reference = record.apps.iter().find(|app| app.role == Role::Reference);
    let reference = reference.map(|app| app.source_hash.chars().take(12).collect());
    [
        ("machine", machine),
        ("kernel", environment.kernel.clone()),
        ("runner image", environment.runner_image.clone().unwrap_or_default()),
        ("runner", runner.join(", ")),
        ("compiler", environment.rustc.clone()),
        ("load generator", format!("oha {}", environment.oha)),
        (
            "database",
            environment
                .database
                .as_ref()
                .map(|database| database.version.clone())
                .unwrap_or_default(),
        ),
        ("reference", reference.unwrap_or_default()),
        ("profile", record.profile.clone()),
        ("rounds", record.harness.rounds.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::NoLockfiles;
    use model::Interval;

    fn run_diff<'a>(before: &'a Record, now: &'a Record) -> RunDiff<'a> {
        super::run_diff(before, now, &NoLockfiles)
    }

    fn ratio_of<'a>(record: &'a mut Record, app: &str) -> &'a mut Ratio {
        let cell = record.summary.iter_mut().find(|cell| cell.app == app).unwrap();
        let summary = cell.metrics.get_mut(&Metric::ServerCpuUsPerRequest).unwrap();
        summary.trusted = true;
        summary.ratio.get_or_insert(Ratio {
            estimate: 1.0,
            interval: None,
            sessions: None,
        })
    }

    fn set(record: &mut Record, app: &str, median: f64, spread: f64) {
        *ratio_of(record, app) = Ratio {
            estimate: median,
            interval: Some(Interval {
                low: median - spread,
                high: median + spread,
            }),
            sessions: None,
        };
    }

    #[test]
    fn nothing_is_different_between_a_run_and_itself() {
        let record = samples::record();
        let since = run_diff(&record, &record);
        assert!(since.compared > 0);
        assert!(since.moved.is_empty() && since.verdicts.is_empty() && since.versions.is_empty());
        assert!(since.surroundings.is_empty() && since.apps.iter().all(|(_, apps)| apps.is_empty()));
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
        assert!(since.surroundings.iter().any(|(what, ..)| *what == "machine"));
        assert!(since.surroundings.iter().any(|(what, ..)| *what == "database"));
        assert_eq!(since.versions.len(), 1);
        assert_eq!(since.versions[0].1, "0.7.0");
        assert_eq!(since.apps.map(|(_, apps)| apps.len()), [1, 1, 0, 0]);
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
        let since = super::run_diff(&one, &other, &Tokio);
        let named: Vec<(&str, usize)> = since
            .crates
            .iter()
            .map(|(moved, apps)| (&*moved.name, apps.len()))
            .collect();
        let frameworks: BTreeSet<&str> = other.apps.iter().map(|app| app.name.as_str()).collect();
        let unknown = &since.apps[3].1;
        assert_eq!(named, [("tokio", frameworks.len() - unknown.len()), ("matchit", 1)]);
        assert_eq!(unknown.len(), 1, "where no lockfile says it");
        assert!(since.apps[2].1.is_empty(), "the sources are the same");
    }
}
