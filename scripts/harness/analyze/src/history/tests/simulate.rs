//! Simulated histories with planted changes, on which history is tested. `examples/history-rates.rs` compiles this file, too: it
//! measures the rates of docs/history.md.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use model::{Metric, SubjectId};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::random::{normal, uniform};
use super::{Change, Direction, Ending, Facts, HistoryReport, NoLockfiles, Run, Series, State, Timeline, judge};

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
#[derive(Debug, Clone, Copy, Default)]
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
    /// For how many weeks it has so many times its size (as a logarithm), the last of them for good; if there are none, it lasts.
    pub phases: &'static [(usize, f64)],
    /// Whether the own noise is Student's t with 3 degrees of freedom and not normal.
    pub heavy: bool,
    /// Whether there is a reference.
    pub reference: bool,
    /// A step of all apps and of the reference.
    pub step: Option<(usize, f64)>,
}

impl Script {
    /// A history in which nothing happens and runs do not name their machine; own noise of 3 %.
    pub fn quiet(weeks: usize, apps: usize) -> Self {
        Self {
            weeks,
            apps,
            own: 0.03,
            reference: true,
            ..Self::default()
        }
    }

    /// What the change adds to the logarithm of an app's figure in a week.
    fn changed(&self, app: usize, week: usize) -> f64 {
        let Some((from, factor, _)) = self.change.filter(|(from, _, apps)| week >= *from && app < *apps) else {
            return 0.0;
        };
        let mut left = week - from;
        let ends = |(weeks, _): &&(usize, f64)| {
            let is_it = left < *weeks;
            left = left.saturating_sub(*weeks);
            is_it
        };
        let phase = self.phases.iter().find(ends).or(self.phases.last());
        factor.ln() * phase.map_or(1.0, |(_, times)| *times)
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
        let mut noise = wobble(script, &mut rng);
        let figure = |week: usize| {
            noise = script.rho * noise + (1.0 - script.rho.powi(2)).sqrt() * wobble(script, &mut rng);
            let taste = if script.machine_known { taste } else { 0.0 };
            let machine = if quick[week] { QUICK.ln() + taste } else { 0.0 };
            let step = script
                .step
                .filter(|(from, _)| week >= *from)
                .map_or(0.0, |(_, factor)| factor.ln());
            level + shared[week] + machine + script.changed(app, week) + step + script.own * noise
        };
        rows.push((0..script.weeks).map(figure).collect());
    }
    let machine = |week: usize| {
        let is_told = quick[week] && script.machine_known;
        if is_told { "quick" } else { "usual" }.to_owned()
    };
    let mut timeline = timeline("server_cpu_us_per_request", &rows, script.weeks, machine);
    if !script.reference {
        timeline.series[0].reference = vec![None; script.weeks];
    }
    timeline
}

/// Noise with a standard deviation of 1.
fn wobble(script: Script, rng: &mut ChaCha8Rng) -> f64 {
    let value = normal(rng);
    if !script.heavy {
        return value;
    }
    let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
    value / squares.sqrt()
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
        let figure =
            |week: usize| level + of_model[model(week)] + script.changed(app, week) + spread * normal(&mut rng);
        rows.push((0..script.weeks).map(figure).collect());
    }
    let metric = Metric::InstructionsPerRequest.id();
    timeline(metric, &rows, script.weeks, |week| format!("model {}", model(week)))
}

/// A timeline of these logarithms; the last row is the reference.
fn timeline(metric: &str, rows: &[Vec<f64>], weeks: usize, machine: impl Fn(usize) -> String) -> Timeline {
    let figures = |row: &Vec<f64>| row.iter().map(|figure| Some(figure.exp())).collect();
    let apps: Vec<SubjectId> = (1..rows.len())
        .map(|app| SubjectId::new(&format!("app-{:02}", app - 1), "default"))
        .collect();
    let run = |week: usize| Run {
        id: format!("week-{week:03}"),
        at: Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * 7 * i64::try_from(week).unwrap_or(0)),
        machine: machine(week),
        runner: String::new(),
        commit: None,
        surroundings: Facts::new(),
        // As from a CSV file without further columns: it has each app, and nothing that it was built from.
        builds: apps.iter().map(|app| (app.clone(), Facts::new())).collect(),
    };
    let (reference, rows) = rows.split_last().expect("there is a reference");
    let series = Series {
        rows: apps.iter().cloned().zip(rows.iter().map(figures)).collect(),
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

/// How a change that some apps share is reported, and the same step of the machine.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Shared {
    /// Number of apps in each history.
    pub apps: usize,
    /// How many of them change.
    pub touched: usize,
    /// Whether the reference is measured, too.
    pub reference: bool,
    /// New ÷ old − 1.
    pub size: f64,
    /// Standard deviation of an app's own noise.
    pub own_noise: f64,
    /// Histories of either kind.
    pub histories: usize,
    /// Histories in which the step was attributed to the apps, to half of them or more, after 1 run with it, after 2 runs, and so on.
    pub after_runs: Vec<usize>,
    /// Histories in which it was reported within eight runs as one step that apps share.
    pub as_one: usize,
    /// Changed apps that were named within eight runs, alone or together.
    pub named: usize,
    /// Unchanged apps that were named together with them.
    pub wrongly_named: usize,
    /// Unchanged apps that were reported as improved since then, or over the year.
    pub bystanders_better: usize,
    /// For the same step of the machine, which the reference shares: histories in which it was attributed to the apps.
    pub machine_blamed: usize,
    /// Apps that were blamed in those, in any week near the step.
    pub apps_blamed: usize,
}

/// How changes that do not last are kept.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Episodes {
    /// What happens.
    pub name: &'static str,
    /// New ÷ old − 1 of each step.
    pub size: f64,
    /// Standard deviation of an app's own noise.
    pub own_noise: f64,
    /// Number of histories.
    pub histories: usize,
    /// Steps in each.
    pub steps: usize,
    /// Weeks after the last step.
    pub weeks: usize,
    /// Histories whose report of that week has all steps for the worse.
    pub kept: usize,
    /// Those which have all steps, and of each but the last its end.
    pub ended: usize,
    /// Changes that were reported besides, of all apps.
    pub false_changes: usize,
}

/// Weeks before a change, and weeks in which it must be found.
const BEFORE: usize = 30;
const WITHIN: usize = 4;
/// Weeks of a history without a change.
pub const YEAR: usize = 52;
/// A step that is placed within so many weeks of the true one counts as kept.
const MONTH: usize = 4;
/// Weeks for which a shared change is news.
const NEWS: usize = 8;
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
        let report = judge(&timeline, &NoLockfiles);
        false_changes += confirmed(&timeline, &report).len();
        false_steps += theirs(&timeline, &report).count();
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
        reference: script.reference,
        size,
        own_noise: script.own,
        histories,
        after_runs: vec![0; NEWS],
        ..Shared::default()
    };
    let is_touched = |app: &str| app[4..].parse::<usize>().is_ok_and(|number| number < touched);
    let is_near = |week: usize| week.abs_diff(BEFORE) <= NEAR;
    for seed in seeds(histories) {
        let changed = Script {
            change: Some((BEFORE, 1.0 + size, touched)),
            ..script
        };
        let timeline = history(changed, seed);
        let report = judge(&timeline, &NoLockfiles);
        let week = |run: &str| week_of(&timeline, run);
        let mut known = BTreeMap::new();
        counted.as_one += usize::from(theirs(&timeline, &report).any(is_near));
        for step in report.changes.iter().chain(&report.common) {
            let since = step.confirmed_by.as_deref().and_then(week);
            let is_theirs = step.verdict == Direction::Regression && week(&step.run) >= Some(BEFORE - NEAR);
            let (Some(since), true) = (since, is_theirs) else {
                continue;
            };
            for app in step.apps() {
                if is_touched(&app) {
                    let first = known.entry(app).or_insert(since);
                    *first = since.min(*first);
                } else if step.shared_by.is_some() {
                    counted.wrongly_named += 1;
                }
            }
        }
        counted.named += known.len();
        let mut weeks: Vec<usize> = known.into_values().collect();
        weeks.sort_unstable();
        if let Some(week) = weeks.get(touched.div_ceil(2) - 1) {
            counted.after_runs[week.saturating_sub(BEFORE)] += 1;
        }
        let is_late = |run: &str| week(run) >= Some(BEFORE);
        let all = report.changes.iter().chain(&report.drifts);
        let late = all.filter(|change| change.confirmed_by.as_deref().is_none_or(is_late));
        let better = late.filter(|change| change.verdict == Direction::Improvement && !is_touched(&change.app));
        counted.bystanders_better += better.map(|change| &change.app).collect::<BTreeSet<_>>().len();
        let machine = Script {
            step: Some((BEFORE, 1.0 + size)),
            ..script
        };
        let timeline = history(machine, seed);
        let report = judge(&timeline, &NoLockfiles);
        counted.machine_blamed += usize::from(theirs(&timeline, &report).any(is_near));
        let named = confirmed(&timeline, &report).into_iter();
        let blamed = named.filter(|(_, week, _)| is_near(*week));
        counted.apps_blamed += blamed.map(|(app, ..)| app).collect::<BTreeSet<_>>().len();
    }
    counted
}

/// Measures whether the steps of the first app, in these weeks, are in the report that is made `later` weeks after the last of them.
pub fn kept(name: &'static str, script: Script, steps: &[usize], later: usize, histories: usize) -> Episodes {
    let script = Script {
        weeks: steps[steps.len() - 1] + later,
        ..script
    };
    let mut counted = Episodes {
        name,
        size: script.change.map_or(0.0, |(_, factor, _)| factor - 1.0),
        own_noise: script.own,
        histories,
        steps: steps.len(),
        weeks: later,
        ..Episodes::default()
    };
    for seed in seeds(histories) {
        let timeline = history(script, seed);
        let report = judge(&timeline, &NoLockfiles);
        let mut found = confirmed(&timeline, &report);
        let mut take = |step: &usize| {
            let is_it = |(app, week, _): &(String, usize, bool)| app == "app-00" && week.abs_diff(*step) <= MONTH;
            let place = found.iter().position(is_it)?;
            Some(found.remove(place).2)
        };
        let ended: Vec<Option<bool>> = steps.iter().map(&mut take).collect();
        let (last, earlier) = ended.split_last().expect("there is a step");
        counted.ended += usize::from(last.is_some() && earlier.iter().all(|ended| *ended == Some(true)));
        let mut worse = steps
            .iter()
            .zip(&ended)
            .filter(|(week, _)| script.changed(0, **week) > script.changed(0, **week - 1));
        counted.kept += usize::from(worse.all(|(_, ended)| ended.is_some()));
        counted.false_changes += found.len();
    }
    counted
}

/// After how many runs with it the change of the first app is confirmed, if it is.
fn found_after(timeline: &Timeline) -> Option<usize> {
    let changes = judge(timeline, &NoLockfiles).changes;
    let is_it = |change: &&Change| {
        change.app == "app-00" && week_of(timeline, &change.run).is_some_and(|week| week.abs_diff(BEFORE) <= NEAR)
    };
    let since = changes.iter().filter(is_it);
    let since = since.filter_map(|change| week_of(timeline, change.confirmed_by.as_deref()?));
    let since = since.min()?;
    Some((since + 1).saturating_sub(BEFORE).max(1))
}

/// The weeks of the steps that apps share and the reference does not.
pub fn theirs(timeline: &Timeline, report: &HistoryReport) -> impl Iterator<Item = usize> {
    let steps = report.common.iter().filter(|step| step.shared_by.is_some());
    steps.filter_map(|step| week_of(timeline, &step.run))
}

fn week_of(timeline: &Timeline, run: &str) -> Option<usize> {
    timeline.runs.iter().position(|known| known.id == run)
}

/// Every change that was ever confirmed: its app, its week, and whether another one ended it.
pub fn confirmed(timeline: &Timeline, report: &HistoryReport) -> Vec<(String, usize, bool)> {
    let changes = report.changes.iter().filter(|change| change.state == State::Confirmed);
    let is_ended = |change: &Change| change.ended.as_ref().is_some_and(|end| end.by == Ending::Change);
    changes
        .filter_map(|change| Some((change.app.clone(), week_of(timeline, &change.run)?, is_ended(change))))
        .collect()
}
