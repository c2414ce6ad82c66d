//! One series as it looks after a run: what changed until then.

use std::ops::Range;

use jiff::SignedDuration;

use super::attribution::{Attribution, moved, tentative};
use super::causes::NoLockfiles;
use super::common_mode::{Fit, Residual, Row, fit, fit_alone};
use super::report::{Change, Direction, State};
use super::timeline::{Series, Timeline};
use crate::rounding::{COMPARED, significant};
use model::SubjectId;
use stats::segments::{ChangePoint, OF_NEIGHBOURS, Settings};
use stats::{mean, median};

/// What counts as a change of one app. docs/history.md gives the rates of detection
/// and of false alarms of these settings in simulated histories.
pub const SETTINGS: Settings = Settings {
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
/// What counts as a change of all apps at once. The machine's own noise is larger.
const COMMON: Settings = Settings {
    smallest: 0.05,
    ..SETTINGS
};
/// Runs on either side of a change between which its cause may lie: noise moves it by one.
const AROUND: usize = 2;
/// How far back drift looks.
const YEAR: SignedDuration = SignedDuration::from_hours(24 * 365);
/// Least of it that must be known: eleven months.
const MOST_OF_YEAR: SignedDuration = SignedDuration::from_hours(24 * 335);
/// Runs at either end of a year that are compared.
const ENDS: usize = 8;
/// The time within which they were made: of runs that are rarer, eight are no end of a year.
const END: SignedDuration = SignedDuration::from_hours(24 * 122);

/// Whose change it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    App(SubjectId),
    /// Most apps, relative to the reference.
    Most,
    /// All, on the machine of this number.
    Machine(usize),
}

/// A change as it looks after a run. Its causes are not known yet.
#[derive(Debug, Clone)]
pub struct Found {
    pub change: Change,
    /// The runs around it, between which its cause may lie, and how many of them have the old level.
    pub around: Vec<usize>,
    pub before: usize,
    /// The last run of its level and the first of the next, if another change ended it.
    pub end: Option<(usize, usize)>,
}

impl Found {
    /// The first run of the new level.
    pub fn at(&self) -> usize {
        self.around[self.before]
    }
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

    /// How far these values moved with it; `None` where one of its levels has none.
    pub fn moved(&self, value: impl Fn(usize) -> Option<f64>) -> Option<f64> {
        let level = |runs: &[usize]| mean(&runs.iter().filter_map(|run| value(*run)).collect::<Vec<f64>>());
        Some(level(self.after)? - level(self.before)?)
    }

    /// The last run of the old level, and the first of the new one.
    fn step(&self) -> (usize, usize) {
        (self.before[self.before.len() - 1], self.after[0])
    }

    /// The runs around it, between which its cause may lie.
    pub fn around(&self) -> Vec<usize> {
        let earlier = &self.before[self.before.len().saturating_sub(AROUND)..];
        [earlier, &self.after[..self.after.len().min(AROUND)]].concat()
    }

    /// Whether a server that moved by this much shares it.
    pub fn is_shared(&self, moved: Option<f64>) -> bool {
        moved.is_some_and(|moved| moved * self.size.signum() > self.size.abs() / 2.0)
    }
}

/// Some consecutive runs of a series, split into what all servers share and what is left of each.
pub struct SeriesJudge<'a> {
    pub(super) timeline: &'a Timeline,
    /// The series in logarithms.
    pub(super) series: &'a Series,
    /// The number of the first run that is looked at, and the machine of it and of each that follows.
    pub(super) first: usize,
    machines: &'a [usize],
    /// Without the reference.
    pub(super) fit: Fit,
    /// What is left of the reference.
    pub(super) reference: Option<Residual>,
    /// The server that the other is relative to, where there are only two.
    pub(super) relative_to: Option<String>,
}

impl<'a> SeriesJudge<'a> {
    /// These runs of a series in logarithms, with the machine that each run of the timeline was made on. Others are not looked at.
    pub fn new(timeline: &'a Timeline, series: &'a Series, machines: &'a [usize], runs: Range<usize>) -> Self {
        let (first, machines) = (runs.start, &machines[runs.clone()]);
        let of_runs = |row: &Row| row[runs.clone()].to_vec();
        let mut rows: Vec<Row> = series.rows.values().map(of_runs).collect();
        let has_reference = series.reference.iter().any(Option::is_some) && !series.is_counted();
        if has_reference {
            rows.push(of_runs(&series.reference));
        }
        let mut judge = Self {
            timeline,
            series,
            first,
            machines,
            fit: Fit::default(),
            reference: None,
            relative_to: None,
        };
        if series.is_counted() {
            judge.fit = fit_alone(&rows, machines, first, counted);
        } else if let [one, other] = rows.as_slice() {
            let less = |(one, other): (&Option<f64>, &Option<f64>)| Some((*one)? - (*other)?);
            let between = one.iter().zip(other).map(less).collect();
            let other = series.rows.keys().nth(1).map(SubjectId::label);
            judge.relative_to = Some(other.unwrap_or_else(|| "reference".to_owned()));
            judge.fit = fit_alone(&[between], machines, first, |_| SETTINGS);
        } else {
            judge.fit = fit(&rows, machines, first, SETTINGS);
            judge.reference = if has_reference { judge.fit.rows.pop() } else { None };
        }
        judge
    }

    /// The apps of which anything is left. Of two apps it is the first.
    pub fn followed(&self) -> impl Iterator<Item = (&'a SubjectId, &Residual)> {
        let rows = self.series.rows.keys().zip(&self.fit.rows);
        rows.filter(|(_, row)| !row.values.is_empty())
    }

    /// All changes, in the order of their runs.
    pub fn changes(&self) -> Vec<(Of, Vec<Found>)> {
        let apps = self.followed().map(|(subject, row)| {
            let shifts = row.points.iter().map(|point| Shift::new(&row.runs, point));
            let changes = shifts.enumerate();
            let changes = changes.filter_map(|(index, shift)| self.app_change(subject, row, &shift, index));
            (Of::App(subject.clone()), changes.collect())
        });
        let mut found: Vec<(Of, Vec<Found>)> = apps.collect();
        found.push((Of::Most, self.group_shifts()));
        found.extend(self.machine_shifts());
        found
    }

    /// A change of an app, unless it is the others'.
    fn app_change(&self, subject: &SubjectId, row: &Residual, shift: &Shift, index: usize) -> Option<Found> {
        let (verdict, state) = match self.attribution(subject, shift) {
            Attribution::Own => (self.direction(shift.size), State::Confirmed),
            Attribution::Unknown => (Direction::Change, State::Confirmed),
            Attribution::Unclear => (Direction::Change, State::Suspected),
            Attribution::Others => return None,
        };
        let change = Change {
            verdict,
            state,
            relative_to: self.relative_to.clone(),
            ..self.change(Some(subject), shift)
        };
        Some(found(change, shift, &row.runs, row.points.get(index + 1)))
    }

    /// What the last run suggests of an app.
    pub fn suspicion(&self, subject: &SubjectId, row: &Residual) -> Option<Found> {
        let smallest = if self.series.is_counted() {
            2.0 * counted(&self.series.rows[subject]).smallest
        } else {
            SUSPECTED
        };
        let shift = tentative(row, smallest)?;
        let mut found = self.app_change(subject, row, &shift, row.points.len())?;
        found.change.state = State::Suspected;
        Some(found)
    }

    /// The last runs compared with the first ones of the year that ends with them, unless the others moved or there was no such year.
    pub fn drift(&self, subject: &SubjectId, row: &Residual) -> Option<Change> {
        let at = |run: usize| self.timeline.runs[run].at;
        let end = at(*row.runs.last()?);
        let from = row.runs.iter().position(|run| end.duration_since(at(*run)) <= YEAR)?;
        let to = row.runs.len().checked_sub(ENDS).filter(|to| *to >= from + ENDS)?;
        let between = |one: usize, other: usize| at(row.runs[other]).duration_since(at(row.runs[one]));
        let ends = [between(from, from + ENDS - 1), between(to, row.runs.len() - 1)];
        if between(from, row.runs.len() - 1) < MOST_OF_YEAR || ends.iter().any(|end| *end > END) {
            return None;
        }
        let values = [&row.values[from..from + ENDS], &row.values[to..]].concat();
        let point = ChangePoint::between(&values, ENDS, self.fit.rho);
        if point.p > SETTINGS.p || point.size.abs() < SETTINGS.smallest {
            return None;
        }
        let runs = [&row.runs[from..from + ENDS], &row.runs[to..]].concat();
        let shift = Shift::new(&runs, &point);
        let verdict = match self.attribution_of_drift(&shift) {
            Attribution::Own => self.direction(shift.size),
            Attribution::Unknown => Direction::Change,
            Attribution::Others | Attribution::Unclear => return None,
        };
        Some(Change {
            previous_run: self.timeline.runs[runs[0]].id.clone(),
            verdict,
            ..self.change(Some(subject), &shift)
        })
    }

    /// Steps of most apps relative to the reference, which are its own the other way round.
    fn steps(&self) -> impl Iterator<Item = Shift<'_>> {
        let reference = self.reference.iter();
        let points = reference.flat_map(|row| row.points.iter().map(move |point| (row, *point)));
        points.map(|(row, mut point)| {
            point.size = -point.size;
            Shift::new(&row.runs, &point)
        })
    }

    /// These steps, with the apps that share them. Only where all that a record knows stayed the same, they are neither better nor worse.
    fn group_shifts(&self) -> Vec<Found> {
        let change = |(index, step): (usize, Shift)| {
            let row = self.reference.as_ref()?;
            let around = step.around();
            // The apps that moved with the others and not with the reference.
            let shares = |row| step.is_shared(moved(row, &step).map(|moved| moved + step.size));
            let apps = self.series.rows.keys().zip(&self.fit.rows);
            let mut apps: Vec<&SubjectId> = apps.filter(|(_, row)| shares(row)).map(|(app, _)| app).collect();
            let may_have_changed = |app: &&SubjectId| self.timeline.is_touched(app, &around) != Some(false);
            let by_builds = apps.iter().filter(|app| may_have_changed(app)).count() * 2 > apps.len();
            if by_builds {
                apps.retain(may_have_changed);
            }
            let has_record = !self.timeline.runs[step.after[0]].surroundings.is_empty();
            let nothing_else = || self.timeline.shared_causes(step.step(), &NoLockfiles).is_empty();
            let change = self.change(None, &step);
            let is_nobodys = has_record && !by_builds && nothing_else();
            let change = Change {
                verdict: if is_nobodys { Direction::Change } else { change.verdict },
                reference: Some(0.0),
                shared_by: Some(apps.into_iter().map(SubjectId::label).collect()),
                ..change
            };
            Some(found(change, &step, &row.runs, row.points.get(index + 1)))
        };
        self.steps().enumerate().filter_map(change).collect()
    }

    /// Steps of the common mode without the apps' own, machine by machine.
    fn machine_shifts(&self) -> Vec<(Of, Vec<Found>)> {
        let machines = if self.series.is_counted() { &[] } else { self.machines };
        let steps: Vec<Shift> = self.steps().collect();
        let left = |run: usize| {
            let theirs = steps.iter().filter(|step| step.after[0] <= run);
            Some(self.fit.common[run - self.first]? - theirs.map(|step| step.size).sum::<f64>())
        };
        let on_machine = |machine| {
            let runs = (self.first..).zip(machines).filter(|(_, on)| **on == machine);
            let row = Residual::search(runs.map(|(run, _)| (run, left(run))), COMMON);
            let change = |(index, point)| {
                let shift = Shift::new(&row.runs, point);
                let change = Change {
                    verdict: Direction::Change,
                    reference: shift.moved(|run| self.series.reference[run]).map(share),
                    ..self.change(None, &shift)
                };
                found(change, &shift, &row.runs, row.points.get(index + 1))
            };
            (
                Of::Machine(machine),
                row.points.iter().enumerate().map(change).collect(),
            )
        };
        (0..machines.iter().max().map_or(0, |last| last + 1))
            .map(on_machine)
            .collect()
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
            ..Change::default()
        }
    }

    fn direction(&self, size: f64) -> Direction {
        match self.series.more_is_better {
            None => Direction::Change,
            Some(more) if more == (size > 0.0) => Direction::Improvement,
            Some(_) => Direction::Regression,
        }
    }
}

/// A change of `runs`, with the one that follows it.
fn found(change: Change, shift: &Shift, runs: &[usize], next: Option<&ChangePoint>) -> Found {
    Found {
        change,
        around: shift.around(),
        before: shift.before.len().min(AROUND),
        end: next.map(|next| (runs[next.at - 1], runs[next.at])),
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

/// A difference of logarithms as new ÷ old − 1.
fn share(logarithm: f64) -> f64 {
    significant(logarithm.exp_m1(), COMPARED)
}
