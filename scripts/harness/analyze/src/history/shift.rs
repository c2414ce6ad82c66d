//! From a timeline to its report.

use std::collections::BTreeSet;

use jiff::SignedDuration;

use super::attribution::{Attribution, moved, tentative};
use super::causes::Lockfiles;
use super::common_mode::{Fit, Residual, Row, fit, fit_alone};
use super::divisive::{ChangePoint, Settings};
use super::report::{ALARM_RUNS, Change, Direction, HistoryReport, SCHEMA_VERSION, State};
use super::timeline::{Kind, Series, Timeline};
use crate::rounding::{COMPARED, significant};
use model::SubjectId;
use stats::{mean, median};

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
pub const OF_NEIGHBOURS: f64 = 1.0484;
/// What counts as a change of all apps at once. The machine's own noise is larger.
const COMMON: Settings = Settings {
    smallest: 0.05,
    ..SETTINGS
};
/// How far back drift looks.
const YEAR: SignedDuration = SignedDuration::from_hours(24 * 365);
/// Runs at either end of a year that are compared.
const ENDS: usize = 8;

/// Judges the runs of a lane, those of each runner by themselves: a step from one to the other is no change.
pub fn judge(timeline: &Timeline, lockfiles: &dyn Lockfiles) -> HistoryReport {
    let mut report = HistoryReport {
        schema_version: SCHEMA_VERSION,
        lane: timeline.lane.clone(),
        profile: timeline.profile.clone(),
        runs: timeline.runs.len(),
        segments: timeline.segments(),
        marks: timeline.marks(),
        ..HistoryReport::default()
    };
    let mut judged = BTreeSet::new();
    for on_runner in timeline.by_runner() {
        let (machines, toolchains) = (on_runner.machines(), on_runner.toolchains());
        let (mut changes, mut common) = (Vec::new(), Vec::new());
        for (number, series) in on_runner.series.iter().enumerate() {
            // Counts do not depend on the machine; all that runs share is the compiler, which then stands for it.
            let on = if series.is_counted() { &toolchains } else { &machines };
            let series = SeriesJudge::new(&on_runner, series, on, lockfiles);
            for (subject, row) in series.followed() {
                judged.insert((number, subject.clone()));
                changes.extend(series.app_changes(subject, row));
                report.drifts.extend(series.drift(subject, row));
            }
            common.extend(series.group_shifts());
            common.extend(series.machine_shifts(&machines));
        }
        // Without further runs on a runner, no level of it grows old: those on the next one count instead.
        let last = on_runner.runs.last().map(|run| run.at);
        let is_left = timeline.runs.iter().filter(|run| Some(run.at) > last).count() > ALARM_RUNS;
        changes
            .iter_mut()
            .chain(&mut common)
            .for_each(|change| change.stands &= !is_left);
        report.changes.extend(changes);
        report.common.extend(common);
    }
    report.judged = judged.len();
    report
        .changes
        .sort_by(|one, other| other.started_at.cmp(&one.started_at).then(one.p.total_cmp(&other.p)));
    report.common.sort_by_key(|common| std::cmp::Reverse(common.started_at));
    report
        .drifts
        .sort_by(|one, other| other.size.abs().total_cmp(&one.size.abs()));
    report
}

/// A difference of two levels, in logarithms.
#[derive(Debug, Clone, Copy)]
pub struct Shift<'a> {
    /// Runs of the old level, and of the new one.
    pub before: &'a [usize],
    pub after: &'a [usize],
    pub size: f64,
    /// 95 % interval of the size.
    pub interval: (f64, f64),
    pub p: f64,
}

impl<'a> Shift<'a> {
    fn new(runs: &'a [usize], point: &ChangePoint) -> Self {
        Self {
            before: &runs[point.at - point.before..point.at],
            after: &runs[point.at..point.at + point.after],
            size: point.size,
            interval: point.interval(),
            p: point.p,
        }
    }

    fn reversed(self) -> Self {
        let (low, high) = self.interval;
        Self {
            size: -self.size,
            interval: (-high, -low),
            ..self
        }
    }

    /// The last run of the old level, and the first of the new one.
    fn step(&self) -> (usize, usize) {
        (self.before[self.before.len() - 1], self.after[0])
    }

    /// The runs around it, between which its cause may lie.
    pub fn around(&self) -> Vec<usize> {
        let earlier = &self.before[self.before.len().saturating_sub(2)..];
        [earlier, &self.after[..self.after.len().min(2)]].concat()
    }

    /// Whether a server that moved by this much shares it.
    pub fn is_shared(&self, moved: Option<f64>) -> bool {
        moved.is_some_and(|moved| moved * self.size.signum() > self.size.abs() / 2.0)
    }
}

/// One series, split into what all servers share and what is left of each.
pub struct SeriesJudge<'a> {
    pub(super) timeline: &'a Timeline,
    pub(super) series: &'a Series,
    lockfiles: &'a dyn Lockfiles,
    /// Without the reference.
    pub(super) fit: Fit,
    /// What is left of the reference.
    pub(super) reference: Option<Residual>,
    /// The server that the other is relative to, where there are only two.
    pub(super) relative_to: Option<String>,
}

impl<'a> SeriesJudge<'a> {
    fn new(timeline: &'a Timeline, series: &'a Series, machines: &[usize], lockfiles: &'a dyn Lockfiles) -> Self {
        let mut rows: Vec<Row> = series.rows.values().map(|row| logarithms(row)).collect();
        let has_reference = series.reference.iter().any(Option::is_some) && !series.is_counted();
        if has_reference {
            rows.push(logarithms(&series.reference));
        }
        let mut judge = Self {
            timeline,
            series,
            lockfiles,
            fit: Fit::default(),
            reference: None,
            relative_to: None,
        };
        if series.is_counted() {
            judge.fit = fit_alone(&rows, machines, counted);
        } else if let [one, other] = rows.as_slice() {
            let less = |(one, other): (&Option<f64>, &Option<f64>)| Some((*one)? - (*other)?);
            let between = one.iter().zip(other).map(less).collect();
            let other = series.rows.keys().nth(1).map(SubjectId::label);
            judge.relative_to = Some(other.unwrap_or_else(|| "reference".to_owned()));
            judge.fit = fit_alone(&[between], machines, |_| SETTINGS);
        } else {
            judge.fit = fit(&rows, machines, SETTINGS);
            judge.reference = if has_reference { judge.fit.rows.pop() } else { None };
        }
        judge
    }

    /// The apps of which anything is left. Of two apps it is the first.
    fn followed(&self) -> impl Iterator<Item = (&'a SubjectId, &Residual)> {
        let rows = self.series.rows.keys().zip(&self.fit.rows);
        rows.filter(|(_, row)| !row.values.is_empty())
    }

    fn app_changes(&self, subject: &SubjectId, row: &Residual) -> Vec<Change> {
        let change = |shift: &Shift, state, stands| {
            let (verdict, state) = match self.attribution(subject, shift) {
                Attribution::Own => (self.direction(shift.size), state),
                Attribution::Others => return None,
                Attribution::Unclear => (Direction::Change, State::Suspected),
            };
            let change = self.change(Some(subject), shift);
            let steps = shift.around();
            let beside = [steps.get(..2), steps.get(2..).filter(|after| after.len() == 2)];
            let beside: Vec<(usize, usize)> = beside.into_iter().flatten().map(|runs| (runs[0], runs[1])).collect();
            Some(Change {
                verdict,
                state,
                stands,
                confirmed_by: change.confirmed_by.filter(|_| state == State::Confirmed),
                relative_to: self.relative_to.clone(),
                causes: self.timeline.causes(subject, shift.step(), &beside, self.lockfiles),
                ..change
            })
        };
        let last = row.points.len().saturating_sub(1);
        let confirmed = row.points.iter().enumerate();
        let confirmed =
            confirmed.map(|(index, point)| change(&Shift::new(&row.runs, point), State::Confirmed, index == last));
        let smallest = if self.series.is_counted() {
            2.0 * counted(&logarithms(&self.series.rows[subject])).smallest
        } else {
            SUSPECTED
        };
        let tentative = tentative(row, smallest).map(|shift| change(&shift, State::Suspected, true));
        confirmed.chain(tentative).flatten().collect()
    }

    /// The last runs compared with the first ones of the year that ends with them.
    fn drift(&self, subject: &SubjectId, row: &Residual) -> Option<Change> {
        let at = |run: usize| self.timeline.runs[run].at;
        let end = at(*row.runs.last()?);
        let from = row.runs.iter().position(|run| end.duration_since(at(*run)) <= YEAR)?;
        let to = row.runs.len().checked_sub(ENDS).filter(|to| *to >= from + ENDS)?;
        let values = [&row.values[from..from + ENDS], &row.values[to..]].concat();
        let point = ChangePoint::between(&values, (0, ENDS, 2 * ENDS), self.fit.rho);
        let runs = [&row.runs[from..from + ENDS], &row.runs[to..]].concat();
        (point.p <= SETTINGS.p && point.size.abs() >= SETTINGS.smallest).then(|| Change {
            previous_run: self.timeline.runs[runs[0]].id.clone(),
            ..self.change(Some(subject), &Shift::new(&runs, &point))
        })
    }

    /// Steps of most apps relative to the reference, which are its own the other way round.
    fn steps(&self) -> impl Iterator<Item = Shift<'_>> {
        let points = self
            .reference
            .iter()
            .flat_map(|row| row.points.iter().map(move |point| (row, point)));
        points.map(|(row, point)| Shift::new(&row.runs, point).reversed())
    }

    /// These steps, except where no app was changed, so that it cannot be theirs.
    fn group_shifts(&self) -> Vec<Change> {
        let steps: Vec<Shift> = self.steps().collect();
        let change = |(index, step): (usize, &Shift)| {
            let around = step.around();
            let subjects = || self.series.rows.keys();
            let touched: Vec<Option<bool>> = subjects().map(|app| self.timeline.is_touched(app, &around)).collect();
            let causes = self.timeline.shared_causes(step.step(), self.lockfiles);
            let is_known = touched.iter().any(Option::is_some);
            if is_known && !touched.contains(&Some(true)) && causes.is_empty() {
                return None;
            }
            // The apps that moved with the others and not with the reference.
            let shares = |row| step.is_shared(moved(row, step).map(|moved| moved + step.size));
            let apps = subjects().zip(&self.fit.rows).zip(&touched);
            let apps = apps.filter(|((_, row), touched)| **touched != Some(false) && shares(row));
            let change = self.change(None, step);
            Some(Change {
                stands: index + 1 == steps.len(),
                reference: Some(0.0),
                shared_by: Some(apps.map(|((subject, _), _)| subject.label()).collect()),
                causes: if causes.is_empty() { change.causes } else { causes },
                ..change
            })
        };
        steps.iter().enumerate().filter_map(change).collect()
    }

    /// Steps of the common mode without those of the apps, machine by machine.
    fn machine_shifts(&self, machines: &[usize]) -> Vec<Change> {
        if self.series.is_counted() {
            return Vec::new();
        }
        let reference = logarithms(&self.series.reference);
        let level = |runs: &[usize]| mean(&runs.iter().filter_map(|run| reference[*run]).collect::<Vec<f64>>());
        let left = |run: usize| {
            let theirs = self.steps().filter(|step| step.after[0] <= run);
            Some(self.fit.common[run]? - theirs.map(|step| step.size).sum::<f64>())
        };
        let mut found = Vec::new();
        for machine in 0..machines.iter().max().map_or(0, |last| last + 1) {
            let runs = (0..machines.len()).filter(|run| machines[*run] == machine);
            let row = Residual::search(runs.map(|run| (run, left(run))), COMMON);
            for (index, point) in row.points.iter().enumerate() {
                let shift = Shift::new(&row.runs, point);
                let moved = level(shift.after).zip(level(shift.before)).map(|(new, old)| new - old);
                // A step that the reference shares was not caused by a dependency: its lockfile is frozen.
                let is_machine = moved.is_some_and(|moved| moved.abs() >= shift.size.abs() / 2.0);
                let mut causes = self.timeline.shared_causes(shift.step(), self.lockfiles);
                causes.retain(|cause| !is_machine || cause.kind != Kind::Dependency);
                let change = self.change(None, &shift);
                found.push(Change {
                    verdict: Direction::Change,
                    stands: index + 1 == row.points.len(),
                    reference: moved.map(share),
                    causes: if causes.is_empty() { change.causes } else { causes },
                    ..change
                });
            }
        }
        found
    }

    /// A confirmed change of an app, or of all, with no known cause.
    fn change(&self, subject: Option<&SubjectId>, shift: &Shift) -> Change {
        let (before, after) = shift.step();
        let runs = &self.timeline.runs;
        let (low, high) = shift.interval;
        Change {
            app: subject.map_or_else(String::new, |subject| subject.app.clone()),
            variant: subject.map_or_else(String::new, |subject| subject.variant.clone()),
            scenario: self.series.scenario.clone(),
            metric: self.series.metric.clone(),
            run: runs[after].id.clone(),
            started_at: runs[after].at,
            previous_run: runs[before].id.clone(),
            size: share(shift.size),
            low: share(low),
            high: share(high),
            p: significant(shift.p, COMPARED),
            runs_before: shift.before.len(),
            runs_after: shift.after.len(),
            verdict: self.direction(shift.size),
            state: State::Confirmed,
            confirmed_by: shift.after.get(1).map(|run| runs[*run].id.clone()),
            stands: true,
            relative_to: None,
            reference: None,
            shared_by: None,
            causes: vec![self.timeline.nothing_known(after)],
        }
    }

    /// Between two apps, which of them moved is unknown.
    fn direction(&self, size: f64) -> Direction {
        let is_between_apps = self.relative_to.is_some() && self.series.rows.len() == 2;
        match self.series.more_is_better.filter(|_| !is_between_apps) {
            None => Direction::Change,
            Some(more) if more == (size > 0.0) => Direction::Improvement,
            Some(_) => Direction::Regression,
        }
    }
}

/// Settings for an app's counts, by their spread from run to run, so that a change of level does not count as spread.
fn counted(row: &Row) -> Settings {
    let values: Vec<f64> = row.iter().flatten().copied().collect();
    let steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let spread = OF_NEIGHBOURS * median(&steps).unwrap_or(0.0);
    Settings {
        smallest: COUNTED.max(COUNTED_SPREADS * spread),
        ..SETTINGS
    }
}

pub fn logarithms(row: &[Option<f64>]) -> Row {
    row.iter().map(|figure| figure.map(f64::ln)).collect()
}

/// A difference of logarithms as new ÷ old − 1.
fn share(logarithm: f64) -> f64 {
    significant(logarithm.exp_m1(), COMPARED)
}

#[cfg(test)]
mod tests;
