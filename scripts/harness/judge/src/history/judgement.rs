//! From a past to its story.

mod app_series;

use jiff::SignedDuration;

use super::bystanders::{Attribution, Reference, movement};
use super::causes::{Cause, Lockfiles, Step};
use super::common_mode::{Fit, Places, Residual, fit, fit_alone};
use super::divisive::{ChangePoint, Settings, change_points};
use super::joints::joints;
use super::past::{Fact, Kind, Past, Series};
use super::runners::Runners;
use super::story::{Change, Common, Direction, Drift, SCHEMA_VERSION, State, Story, Theirs};
use super::suspicion::suspicious;
use super::timeline::{machines, marks, numbers, segments};
use crate::rounding::{COMPARED, significant};
use crate::stats;
use crate::stats::median;
use app_series::{AppSeries, direction};
use record::SubjectId;

/// What counts as a change of one app: the runs of about a year are examined together. docs/history.md gives the rates of detection
/// and of false alarms of these settings in simulated histories.
pub const SETTINGS: Settings = Settings {
    window: 50,
    p: 1e-4,
    smallest: 0.03,
    rho: 0.0,
};
/// Smallest change of a count: counts repeat to 0.02 % for most apps.
const COUNTED: f64 = 0.005;
/// Some apps' counts repeat only to 1 %: a change must exceed this many of their own standard deviations.
const COUNTED_SPREADS: f64 = 3.0;
/// Smallest distance of the last run from the level that makes a suspicion; for a count it is twice the smallest change.
const SUSPECTED: f64 = 0.05;
/// A normal distribution's standard deviation ÷ the median distance of two values that follow each other.
const OF_NEIGHBOURS: f64 = 1.0484;
/// What counts as a change of all apps at once. The machine's own noise is larger.
const COMMON: Settings = Settings {
    smallest: 0.05,
    ..SETTINGS
};
/// How far back drift looks.
const YEAR: SignedDuration = SignedDuration::from_hours(24 * 365);
/// Runs at either end of a year that are compared.
const ENDS: usize = 8;

/// Judges a past.
pub fn judge(past: &Past, lockfiles: &dyn Lockfiles) -> Story {
    let machines = machines(past);
    let runners = Runners::new(past);
    let rustc = Fact {
        kind: Kind::Rustc,
        name: "rustc".to_owned(),
    };
    let toolchains = past.runs.iter().map(|run| run.surroundings.get(&rustc).cloned());
    let toolchains = numbers(toolchains.map(Option::unwrap_or_default));
    let mut story = Story {
        schema_version: SCHEMA_VERSION,
        lane: past.lane.clone(),
        profile: past.profile.clone(),
        runs: past.runs.len(),
        judged: 0,
        segments: segments(past),
        marks: marks(past),
        joints: Vec::new(),
        changes: Vec::new(),
        common: Vec::new(),
        drifts: Vec::new(),
    };
    // A machine is one thing on a runner, and another on the next one.
    let on_runners = machines.iter().zip(&runners.of).map(|pair| format!("{pair:?}"));
    let on_runners = numbers(on_runners);
    let mut fits = Vec::new();
    for series in &past.series {
        let on = if series.is_counted() { &toolchains } else { &machines };
        let judged = Judged::new(past, series, on, &runners);
        let anchor = judged.reference.as_ref();
        let anchor = anchor.and_then(|row| Reference::try_new(row, judged.fit.rho));
        for (subject, row) in series.rows.keys().zip(&judged.fit.rows) {
            story.judged += usize::from(!row.values.is_empty());
            let app_series = AppSeries {
                past,
                series,
                subject,
                row,
                rows: &judged.fit.rows,
                anchor: anchor.as_ref(),
                relative_to: judged.relative_to.as_deref(),
                rho: judged.fit.rho,
            };
            story.changes.extend(app_series.changes(lockfiles));
            story.drifts.extend(app_series.drift());
        }
        let theirs = judged.steps();
        for (index, step) in theirs.iter().enumerate() {
            let stands = index + 1 == theirs.len();
            story
                .common
                .extend(judged.theirs(past, series, step, stands, lockfiles));
        }
        if !series.is_counted() {
            let common = &judged.fit.common;
            let left = common.iter().enumerate().map(|(run, common)| {
                let theirs = theirs.iter().filter(|step| step.run <= run).map(|step| step.size);
                Some((*common)? - theirs.sum::<f64>())
            });
            let left: Vec<Option<f64>> = left.collect();
            story
                .common
                .extend(common_of_machine(past, series, &on_runners, &left, lockfiles));
        }
        fits.push((series, judged.fit));
    }
    story.joints = joints(past, &runners, &fits);
    story.changes.sort_by(|one, other| {
        (other.started_at, one.p)
            .partial_cmp(&(one.started_at, other.p))
            .expect("p is a number")
    });
    story.common.sort_by_key(|common| std::cmp::Reverse(common.started_at));
    story
        .drifts
        .sort_by(|one, other| other.size.abs().total_cmp(&one.size.abs()));
    story
}

/// One series, split into what all servers share and what is left of each.
struct Judged {
    /// Without the reference.
    fit: Fit,
    /// What is left of the reference.
    reference: Option<Residual>,
    /// The server that the other is relative to, where there are only two.
    relative_to: Option<String>,
}

/// A step of most apps relative to the reference.
struct TheirStep {
    /// First run of it.
    run: usize,
    /// Size for the apps, a difference of logarithms.
    size: f64,
    /// The change of the reference, which is the other way round.
    point: ChangePoint,
    before: Vec<usize>,
    after: Vec<usize>,
}

impl Judged {
    /// Counts do not depend on the machine; all that runs share is the compiler, which then stands for it.
    fn new(past: &Past, series: &Series, machines: &[usize], runners: &Runners) -> Self {
        let mut rows: Vec<Vec<Option<f64>>> = series.rows.values().map(|row| logarithms(row)).collect();
        let mut places = Places {
            machines,
            runners: &runners.of,
            successions: series.rows.keys().map(|app| runners.of_app(past, app)).collect(),
        };
        let alone = |fit| Self {
            fit,
            reference: None,
            relative_to: None,
        };
        if series.is_counted() {
            return alone(fit_alone(&rows, &places, counted));
        }
        let has_reference = series.reference.iter().any(Option::is_some);
        if has_reference {
            rows.push(logarithms(&series.reference));
            places.successions.push(runners.successions.clone());
        }
        if let [one, other] = rows.as_slice() {
            let less = |(one, other): (&Option<f64>, &Option<f64>)| Some((*one)? - (*other)?);
            let between: Vec<Option<f64>> = one.iter().zip(other).map(less).collect();
            let other = series.rows.keys().nth(1).map(SubjectId::label);
            // A pair counts if both servers were built from the same in it; without the other's builds, those of the first decide.
            let of_both = places.successions.pop().unwrap_or_default();
            for (succession, other) in places.successions.iter_mut().flatten().zip(of_both) {
                succession.pairs.retain(|pair| other.pairs.contains(pair));
            }
            return Self {
                relative_to: Some(other.unwrap_or_else(|| "reference".to_owned())),
                ..alone(fit_alone(&[between], &places, |_| SETTINGS))
            };
        }
        let mut fit = fit(&rows, &places, SETTINGS);
        let reference = if has_reference { fit.rows.pop() } else { None };
        Self {
            fit,
            reference,
            relative_to: None,
        }
    }

    fn steps(&self) -> Vec<TheirStep> {
        let Some(row) = &self.reference else {
            return Vec::new();
        };
        let step = |point: &ChangePoint| TheirStep {
            run: row.runs[point.at],
            size: -point.size(),
            point: *point,
            before: row.runs[point.at - point.before.count..point.at].to_vec(),
            after: row.runs[point.at..point.at + point.after.count].to_vec(),
        };
        row.points.iter().map(step).collect()
    }

    /// A step of the apps; `None` where none of them was changed, so that it cannot be theirs.
    fn theirs(
        &self,
        past: &Past,
        series: &Series,
        step: &TheirStep,
        stands: bool,
        lockfiles: &dyn Lockfiles,
    ) -> Option<Common> {
        let (before, after) = (*step.before.last()?, step.run);
        let around = around(&step.before, &step.after);
        let touched: Vec<Option<bool>> = series.rows.keys().map(|app| past.is_touched(app, &around)).collect();
        let causes = past.shared_causes(before, after, lockfiles);
        let is_known = touched.iter().any(Option::is_some);
        if is_known && !touched.contains(&Some(true)) && causes.is_empty() {
            return None;
        }
        // The apps that moved with the others and not with the reference.
        let shares = |row: &Residual| {
            let moved = movement(row, &step.before, &step.after);
            moved.is_some_and(|moved| (step.size + moved) * step.size.signum() > step.size.abs() / 2.0)
        };
        let mine = series.rows.keys().zip(&self.fit.rows).zip(&touched);
        let apps = mine.filter(|((_, row), touched)| **touched != Some(false) && shares(row));
        let apps = apps.map(|((subject, _), _)| subject.label()).collect();
        let (low, high) = step.point.interval();
        let theirs = Theirs {
            apps,
            low: share(-high),
            high: share(-low),
            p: significant(step.point.p, COMPARED),
            runs_before: step.point.before.count,
            runs_after: step.point.after.count,
            verdict: direction(series, step.size),
            stands,
        };
        Some(Common {
            reference: Some(0.0),
            theirs: Some(theirs),
            ..common_step(past, series, after, step.size, causes)
        })
    }
}

/// Settings for an app's counts, by their spread from run to run, so that a change of level does not count as spread.
fn counted(row: &[Option<f64>]) -> Settings {
    let values: Vec<f64> = row.iter().flatten().copied().collect();
    let steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let spread = OF_NEIGHBOURS * median(&steps).unwrap_or(0.0);
    Settings {
        smallest: COUNTED.max(COUNTED_SPREADS * spread),
        ..SETTINGS
    }
}

/// The runs around a change, between which its cause may lie.
fn around(before: &[usize], after: &[usize]) -> Vec<usize> {
    let earlier = &before[before.len().saturating_sub(2)..];
    let later = &after[..after.len().min(2)];
    [earlier, later].concat()
}

/// A change as it was found, in logarithms.
#[derive(Clone, Copy)]
struct Sure {
    size: f64,
    low: f64,
    high: f64,
    p: f64,
    before: usize,
    after: usize,
    state: State,
    stands: bool,
}

/// A step of all apps, of which nothing more is known than its size.
fn common_step(past: &Past, series: &Series, run: usize, size: f64, mut causes: Vec<Cause>) -> Common {
    if causes.is_empty() {
        causes.push(past.nothing_known(run));
    }
    Common {
        scenario: series.scenario.clone(),
        metric: series.metric.clone(),
        run: past.runs[run].id.clone(),
        started_at: past.runs[run].at,
        size: share(size),
        reference: None,
        theirs: None,
        causes,
    }
}

/// Steps of the common mode without those of the apps, machine by machine.
fn common_of_machine(
    past: &Past,
    series: &Series,
    machines: &[usize],
    common: &[Option<f64>],
    lockfiles: &dyn Lockfiles,
) -> Vec<Common> {
    let mut found = Vec::new();
    let reference = logarithms(&series.reference);
    for machine in 0..machines.iter().max().map_or(0, |most| most + 1) {
        let of_machine = common.iter().enumerate().filter(|(run, _)| machines[*run] == machine);
        let (runs, values): (Vec<usize>, Vec<f64>) =
            of_machine.filter_map(|(run, common)| Some((run, (*common)?))).unzip();
        for point in change_points(values.as_slice().into(), COMMON) {
            let (before, after) = (runs[point.at - 1], runs[point.at]);
            let old = &runs[point.at - point.before.count..point.at];
            let new = &runs[point.at..point.at + point.after.count];
            let moved = mean(&reference, new)
                .zip(mean(&reference, old))
                .map(|(new, old)| new - old);
            // A step that the reference shares was not caused by a dependency: its lockfile is frozen.
            let is_machine = moved.is_some_and(|moved| moved.abs() >= point.size().abs() / 2.0);
            let mut causes = past.shared_causes(before, after, lockfiles);
            causes.retain(|cause| !is_machine || cause.kind != Kind::Dependency);
            found.push(Common {
                reference: moved.map(share),
                ..common_step(past, series, after, point.size(), causes)
            });
        }
    }
    found
}

fn mean(values: &[Option<f64>], runs: &[usize]) -> Option<f64> {
    stats::mean(&runs.iter().filter_map(|run| values[*run]).collect::<Vec<_>>())
}

pub(super) fn logarithms(row: &[Option<f64>]) -> Vec<Option<f64>> {
    row.iter().map(|figure| figure.map(f64::ln)).collect()
}

/// A difference of logarithms as new ÷ old − 1.
pub(super) fn share(logarithm: f64) -> f64 {
    significant(logarithm.exp_m1(), COMPARED)
}

#[cfg(test)]
mod tests;
