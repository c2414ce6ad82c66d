//! Simulated histories with planted changes, on which history is tested. `examples/history-rates.rs` compiles this file, too: it
//! measures the rates of docs/history.md.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use model::{Metric, SubjectId};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::random::{normal, uniform};
use super::{Direction, Facts, NoLockfiles, Run, Series, State, Timeline, judge};

/// Factor of the fast machine.
const QUICK: f64 = 1.45;
/// Share of weeks in which a run lands on it.
const QUICK_WEEKS: f64 = 0.15;
/// Standard deviation of what all apps of a run share, on the log scale.
const SHARED: f64 = 0.10;
/// How differently apps respond to the fast machine, on the log scale; only where runs name their machine, because otherwise it
/// could not be known.
const TASTE: f64 = 0.03;
/// Standard deviation of counts: most apps repeat to 0.02 %, some only to 1 %; used in turn.
const COUNTS: [f64; 8] = [0.0002, 0.0002, 0.0002, 0.0003, 0.0002, 0.001, 0.0002, 0.008];
/// Cpu models that hosted runs land on, and how much each affects a count (libraries choose their code by the cpu).
const MODELS: usize = 4;
const OF_MODEL: f64 = 0.0003;
/// A change that is placed within this many weeks of the true one counts as found.
pub const NEAR: usize = 2;

/// What happens in a simulated history.
#[derive(Debug, Clone, Copy)]
pub struct Script {
    /// Number of weekly runs.
    pub weeks: usize,
    /// Number of apps.
    pub apps: usize,
    /// Whether runs name their machine.
    pub machine_known: bool,
    /// Standard deviation of the own noise of each app and of the reference, on the log scale.
    pub own: f64,
    /// Correlation of that with the week before.
    pub rho: f64,
    /// A change of the first apps: first week, new ÷ old, and number of apps.
    pub change: Option<(usize, f64, usize)>,
    /// A step of all apps and of the reference.
    pub step: Option<(usize, f64)>,
}

impl Script {
    /// A history in which nothing happens and runs do not name their machine; own noise of 3 %.
    pub fn quiet(weeks: usize, apps: usize) -> Self {
        Self {
            weeks,
            apps,
            machine_known: false,
            own: 0.03,
            rho: 0.0,
            change: None,
            step: None,
        }
    }

    /// What the change adds to the logarithm of an app's figure in a week.
    fn changed(&self, app: usize, week: usize) -> f64 {
        let change = self.change.filter(|(from, _, apps)| week >= *from && app < *apps);
        change.map_or(0.0, |(_, factor, _)| factor.ln())
    }
}

/// One history. The same script and seed always give the same. The reference is measured as the apps are, and never changes.
pub fn history(script: Script, seed: u64) -> Timeline {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let quick: Vec<bool> = (0..script.weeks).map(|_| uniform(&mut rng) < QUICK_WEEKS).collect();
    let shared: Vec<f64> = (0..script.weeks).map(|_| SHARED * normal(&mut rng)).collect();
    let mut rows = Vec::new();
    for app in 0..=script.apps {
        let (level, taste) = (normal(&mut rng), TASTE * normal(&mut rng));
        let mut noise = normal(&mut rng);
        let figure = |week: usize| {
            noise = script.rho * noise + (1.0 - script.rho.powi(2)).sqrt() * normal(&mut rng);
            let taste = if script.machine_known { taste } else { 0.0 };
            let machine = if quick[week] { QUICK.ln() + taste } else { 0.0 };
            let is_app = app < script.apps;
            let own = if is_app { script.changed(app, week) } else { 0.0 };
            let step = script
                .step
                .filter(|(from, _)| week >= *from)
                .map_or(0.0, |(_, factor)| factor.ln());
            level + shared[week] + machine + own + step + script.own * noise
        };
        rows.push((0..script.weeks).map(figure).collect());
    }
    let machine = |week: usize| {
        if quick[week] && script.machine_known {
            "quick"
        } else {
            "usual"
        }
        .to_owned()
    };
    timeline("server_cpu_us_per_request", &rows, script.weeks, machine)
}

/// The history of a count, measured every week on one of several cpu models. Nothing is shared.
pub fn counts(script: Script, seed: u64) -> Timeline {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let model = |week: usize| (week + week / 3) % MODELS;
    let mut rows = Vec::new();
    for app in 0..=script.apps {
        let level = normal(&mut rng);
        let of_model: Vec<f64> = (0..MODELS).map(|_| OF_MODEL * normal(&mut rng)).collect();
        let spread = COUNTS[app % COUNTS.len()];
        let figure = |week: usize| {
            let own = if app < script.apps {
                script.changed(app, week)
            } else {
                0.0
            };
            level + of_model[model(week)] + own + spread * normal(&mut rng)
        };
        rows.push((0..script.weeks).map(figure).collect());
    }
    let metric = Metric::InstructionsPerRequest.id();
    timeline(metric, &rows, script.weeks, |week| format!("model {}", model(week)))
}

/// A timeline of these logarithms; the last row is the reference.
fn timeline(metric: &str, rows: &[Vec<f64>], weeks: usize, machine: impl Fn(usize) -> String) -> Timeline {
    let figures = |row: &Vec<f64>| row.iter().map(|figure| Some(figure.exp())).collect();
    let run = |week: usize| Run {
        id: format!("week-{week:03}"),
        at: Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * 7 * i64::try_from(week).unwrap_or(0)),
        machine: machine(week),
        runner: String::new(),
        commit: None,
        surroundings: Facts::new(),
        builds: BTreeMap::new(),
    };
    let (reference, apps) = rows.split_last().expect("there is a reference");
    let apps = apps.iter().enumerate();
    let series = Series {
        rows: apps
            .map(|(app, row)| (SubjectId::new(&format!("app-{app:02}"), "default"), figures(row)))
            .collect(),
        reference: figures(reference),
        ..Series::empty("simulated", metric, Some(false), weeks)
    };
    Timeline {
        lane: "simulated".to_owned(),
        profile: None,
        runs: (0..weeks).map(run).collect(),
        series: vec![series],
    }
}

/// How often history finds what is there, and what is not.
#[derive(Debug, Clone, Serialize)]
pub struct Rates {
    /// Number of apps in each history.
    pub apps: usize,
    /// Standard deviation of an app's own noise; for counts the smallest.
    pub own_noise: f64,
    /// Correlation of that with the week before.
    pub autocorrelation: f64,
    /// Histories with a change, for each size.
    pub histories: usize,
    /// How many of them had it found, by size.
    pub found: Vec<Detection>,
    /// App-weeks without a change that were judged, week by week.
    pub app_weeks: usize,
    /// Changes that were reported in them.
    pub false_changes: usize,
    /// Steps of all apps relative to the reference that were reported in them.
    pub false_steps: usize,
}

/// Results for histories with a change of one size.
#[derive(Debug, Clone, Serialize)]
pub struct Detection {
    /// New ÷ old − 1.
    pub size: f64,
    /// Histories in which it was found after 1 run with the change, after 2 runs, and so on.
    pub after_runs: Vec<usize>,
}

/// How a change that most apps share is reported, and the same step of the machine.
#[derive(Debug, Clone, Serialize)]
pub struct Shared {
    /// Number of apps in each history.
    pub apps: usize,
    /// How many of them change.
    pub touched: usize,
    /// New ÷ old − 1.
    pub size: f64,
    /// Standard deviation of an app's own noise.
    pub own_noise: f64,
    /// Histories of either kind.
    pub histories: usize,
    /// Histories in which the step was attributed to the apps after 1 run with it, after 2 runs, and so on.
    pub after_runs: Vec<usize>,
    /// Changed apps that were named with it, over all histories in which it was reported.
    pub named: usize,
    /// Unchanged apps that were named with it.
    pub wrongly_named: usize,
    /// Unchanged apps that were reported as improved, in any week.
    pub bystanders_better: usize,
    /// For the same step of the machine, which the reference shares: histories in which it was attributed to the apps.
    pub machine_blamed: usize,
    /// Apps that were blamed in those, in any week near the step.
    pub apps_blamed: usize,
}

/// Weeks before a change, and weeks in which it must be found.
const BEFORE: usize = 30;
const WITHIN: usize = 4;
/// Weeks of a history without a change.
pub const YEAR: usize = 52;
/// Weeks for which a shared change is news.
const NEWS: usize = 8;
/// Steps of all apps are searched for only in every fourth week: they stay visible that long.
const SKIP: usize = WITHIN;
/// Seeds of histories without a change begin here.
const QUIET: u64 = 1_000_000;

fn seeds(count: usize) -> impl Iterator<Item = u64> {
    (0..count).map(|seed| u64::try_from(seed).unwrap_or(0))
}

/// What makes a history of a script and a seed: [`history`] or [`counts`].
pub type Make = fn(Script, u64) -> Timeline;

/// Measures both rates on simulated histories, each judged every week as in practice; `quiet` of them have no change.
pub fn rates(make: Make, script: Script, histories: usize, quiet: usize, sizes: &[f64]) -> Rates {
    let found = sizes.iter().map(|size| {
        let mut after_runs = vec![0; WITHIN];
        let script = Script {
            weeks: BEFORE + WITHIN,
            change: Some((BEFORE, 1.0 + size, 1)),
            ..script
        };
        for seed in seeds(histories) {
            if let Some(runs) = found_after(&make(script, seed)) {
                after_runs[runs - 1] += 1;
            }
        }
        Detection {
            size: *size,
            after_runs,
        }
    });
    let found = found.collect();
    let script = Script { weeks: YEAR, ..script };
    let (mut false_changes, mut false_steps) = (0, 0);
    for seed in seeds(quiet) {
        let timeline = make(script, QUIET + seed);
        false_changes += named(&timeline).len();
        false_steps += (1..=timeline.runs.len() / SKIP)
            .flat_map(|runs| steps(&timeline.until(SKIP * runs)))
            .map(|(week, _)| week / NEWS)
            .collect::<BTreeSet<usize>>()
            .len();
    }
    Rates {
        apps: script.apps,
        own_noise: script.own,
        autocorrelation: script.rho,
        histories,
        found,
        app_weeks: quiet * script.apps * script.weeks,
        false_changes,
        false_steps,
    }
}

/// Measures how a change of the first `touched` apps is reported.
pub fn shared(script: Script, touched: usize, size: f64, histories: usize) -> Shared {
    let script = Script {
        weeks: BEFORE + NEWS,
        ..script
    };
    let mut counted = Shared {
        apps: script.apps,
        touched,
        size,
        own_noise: script.own,
        histories,
        after_runs: vec![0; NEWS],
        named: 0,
        wrongly_named: 0,
        bystanders_better: 0,
        machine_blamed: 0,
        apps_blamed: 0,
    };
    let is_touched = |app: &str| app[4..].parse::<usize>().is_ok_and(|number| number < touched);
    let is_near = |week: usize| week.abs_diff(BEFORE) <= NEAR;
    for seed in seeds(histories) {
        let theirs = Script {
            change: Some((BEFORE, 1.0 + size, touched)),
            ..script
        };
        let timeline = history(theirs, seed);
        let mut found = false;
        let mut better = BTreeSet::new();
        for runs in 1..=NEWS {
            let until = timeline.until(BEFORE + runs);
            let step = steps(&until).into_iter().find(|(week, _)| is_near(*week));
            if let (Some((_, apps)), false) = (step, found) {
                found = true;
                counted.after_runs[runs - 1] += 1;
                counted.named += apps.iter().filter(|app| is_touched(app)).count();
                counted.wrongly_named += apps.iter().filter(|app| !is_touched(app)).count();
            }
            for change in judge(&until, &NoLockfiles).changes {
                if change.verdict == Direction::Improvement && !is_touched(&change.app) {
                    better.extend(
                        week_of(&until, &change.run)
                            .filter(|week| is_near(*week))
                            .map(|_| change.app),
                    );
                }
            }
        }
        counted.bystanders_better += better.len();
        let machine = Script {
            step: Some((BEFORE, 1.0 + size)),
            ..script
        };
        let timeline = history(machine, seed);
        let blamed = |runs| {
            steps(&timeline.until(BEFORE + runs))
                .iter()
                .any(|(week, _)| is_near(*week))
        };
        counted.machine_blamed += usize::from((1..=NEWS).any(blamed));
        let blamed: BTreeSet<String> = (1..=NEWS)
            .flat_map(|runs| confirmed(&timeline.until(BEFORE + runs)))
            .filter_map(|(app, week)| is_near(week).then_some(app))
            .collect();
        counted.apps_blamed += blamed.len();
    }
    counted
}

/// After how many runs with it the change of the first app is confirmed, if it is.
fn found_after(timeline: &Timeline) -> Option<usize> {
    (1..=WITHIN).find(|runs| {
        let named = confirmed(&timeline.until(BEFORE + runs));
        named
            .iter()
            .any(|(app, week)| app == "app-00" && week.abs_diff(BEFORE) <= NEAR)
    })
}

/// Every change that is reported in any week; one whose place moves slightly from week to week counts once.
pub fn named(timeline: &Timeline) -> Vec<(String, usize)> {
    let mut named: Vec<(String, usize)> = Vec::new();
    for runs in 1..=timeline.runs.len() {
        for (app, week) in confirmed(&timeline.until(runs)) {
            let is_same = |known: &(String, usize)| known.0 == app && known.1.abs_diff(week) <= NEAR;
            if !named.iter().any(is_same) {
                named.push((app, week));
            }
        }
    }
    named
}

fn week_of(timeline: &Timeline, run: &str) -> Option<usize> {
    timeline.runs.iter().position(|known| known.id == run)
}

/// Steps that are attributed to the apps, with the apps that share them.
fn steps(timeline: &Timeline) -> Vec<(usize, Vec<String>)> {
    let common = judge(timeline, &NoLockfiles).common.into_iter();
    common
        .filter_map(|common| Some((week_of(timeline, &common.run)?, common.shared_by?)))
        .collect()
}

pub fn confirmed(timeline: &Timeline) -> Vec<(String, usize)> {
    let changes = judge(timeline, &NoLockfiles).changes.into_iter();
    let changes = changes.filter(|change| change.state == State::Confirmed);
    changes
        .filter_map(|change| Some((change.app.clone(), week_of(timeline, &change.run)?)))
        .collect()
}
