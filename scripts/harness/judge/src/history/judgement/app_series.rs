//! What is said of one app in one series.

use super::super::divisive::Values;
use super::super::joint_error::JointError;
use super::{
    Attribution, COMPARED, Change, ChangePoint, Direction, Drift, ENDS, Lockfiles, Past, Reference, Residual, SETTINGS,
    SUSPECTED, Series, State, Step, SubjectId, Sure, YEAR, around, counted, logarithms, movement, share, significant,
    suspicious,
};

/// One app in one series.
pub(super) struct AppSeries<'a> {
    pub(super) past: &'a Past,
    pub(super) series: &'a Series,
    pub(super) subject: &'a SubjectId,
    pub(super) row: &'a Residual,
    /// All of the series, this one among them.
    pub(super) rows: &'a [Residual],
    pub(super) anchor: Option<&'a Reference<'a>>,
    pub(super) relative_to: Option<&'a str>,
    pub(super) rho: f64,
}

impl<'a> AppSeries<'a> {
    pub(super) fn changes(&self, lockfiles: &dyn Lockfiles) -> Vec<Change> {
        let points = &self.row.points;
        let confirmed = points.iter().enumerate().map(|(index, point)| {
            let (low, high) = point.interval();
            let sure = Sure {
                size: point.size(),
                low,
                high,
                p: point.p,
                before: point.before.count,
                after: point.after.count,
                state: State::Confirmed,
                stands: index + 1 == points.len(),
            };
            self.change(point.at, sure, lockfiles)
        });
        let mut changes: Vec<Change> = confirmed.flatten().collect();
        let smallest = if self.series.is_counted() {
            2.0 * counted(&logarithms(&self.series.rows[self.subject])).smallest
        } else {
            SUSPECTED
        };
        if let Some(size) = suspicious(self.row, smallest) {
            let sure = Sure {
                size,
                low: size,
                high: size,
                p: 1.0,
                before: points.last().map_or(self.row.values.len(), |point| point.after.count) - 1,
                after: 1,
                state: State::Suspected,
                stands: true,
            };
            changes.extend(self.change(self.row.values.len() - 1, sure, lockfiles));
        }
        changes
    }

    /// Who changed: this app or the others.
    fn attribution(&self, size: f64, before: &[usize], after: &[usize]) -> Attribution {
        if self.series.is_counted() || self.relative_to.is_some() {
            return Attribution::Own;
        }
        let around = around(before, after);
        let others = self.series.rows.keys().filter(|subject| *subject != self.subject);
        let touched: Vec<bool> = others
            .filter_map(|subject| self.past.is_touched(subject, &around))
            .collect();
        let most = touched.iter().filter(|touched| **touched).count() * 2 > touched.len();
        let by_builds = match self.past.is_touched(self.subject, &around) {
            Some(true) if !most && !touched.is_empty() => Some(Attribution::Own),
            Some(false) if most => Some(Attribution::Others),
            _ => None,
        };
        let parted = |row: &&Residual| {
            movement(row, before, after).is_some_and(|moved| moved * size.signum() > size.abs() / 2.0)
        };
        let is_alone = self.rows.iter().filter(parted).count() <= 1;
        let by_reference = self
            .anchor
            .and_then(|anchor| anchor.attribution(size, before, after, is_alone));
        match (by_builds, by_reference) {
            (Some(Attribution::Own), _) | (None, None) => Attribution::Own,
            (_, Some(clear @ (Attribution::Own | Attribution::Others))) => clear,
            (Some(by_builds), _) => by_builds,
            (None, Some(unclear)) => unclear,
        }
    }

    /// `None` where the others changed and not this app.
    fn change(&self, at: usize, mut sure: Sure, lockfiles: &dyn Lockfiles) -> Option<Change> {
        let runs = &self.past.runs;
        let old = &self.row.runs[at - sure.before..at];
        let new = &self.row.runs[at..at + sure.after];
        let verdict = match self.attribution(sure.size, old, new) {
            Attribution::Own => self.direction(sure.size),
            Attribution::Others => return None,
            Attribution::Unclear => {
                sure.state = State::Suspected;
                Direction::Change
            }
        };
        let (before, after) = (self.row.runs[at - 1], self.row.runs[at]);
        let beside: Vec<Step> = [at.wrapping_sub(2), at]
            .into_iter()
            .filter_map(|place| Some((*self.row.runs.get(place)?, *self.row.runs.get(place + 1)?)))
            .map(|(before, after)| self.step(before, after))
            .collect();
        let confirmed = sure.state == State::Confirmed;
        Some(Change {
            app: self.subject.app.clone(),
            variant: self.subject.variant.clone(),
            scenario: self.series.scenario.clone(),
            metric: self.series.metric.clone(),
            run: runs[after].id.clone(),
            started_at: runs[after].at,
            previous_run: runs[before].id.clone(),
            size: share(sure.size),
            low: share(sure.low),
            high: share(sure.high),
            p: significant(sure.p, COMPARED),
            runs_before: sure.before,
            runs_after: sure.after,
            verdict,
            state: sure.state,
            confirmed_by: confirmed.then(|| runs[self.row.runs[at + 1]].id.clone()),
            stands: sure.stands,
            relative_to: self.relative_to.map(ToOwned::to_owned),
            causes: self.past.causes(self.step(before, after), &beside, lockfiles),
        })
    }

    fn step(&self, before: usize, after: usize) -> Step<'a> {
        Step {
            subject: self.subject,
            before,
            after,
        }
    }

    /// The last runs compared with the first ones of the year that ends with them.
    pub(super) fn drift(&self) -> Option<Drift> {
        let row = self.row;
        let end = self.past.runs[*row.runs.last()?].at;
        let from = row
            .runs
            .iter()
            .position(|run| end.duration_since(self.past.runs[*run].at) <= YEAR)?;
        let count = row.values.len();
        if count - from < 2 * ENDS {
            return None;
        }
        let ends: Vec<usize> = (from..from + ENDS).chain(count - ENDS..count).collect();
        let values: Vec<f64> = ends.iter().map(|place| row.values[*place]).collect();
        let joints = row.joints.iter().map(|joint| joint.at(&ends));
        let joints: Vec<JointError> = joints.collect();
        let values = Values {
            values: &values,
            joints: &joints,
        };
        let moved = ChangePoint::between(values, (0, ENDS, ends.len()), self.rho);
        let (low, high) = moved.interval();
        (moved.p <= SETTINGS.p && moved.size().abs() >= SETTINGS.smallest).then(|| Drift {
            app: self.subject.app.clone(),
            variant: self.subject.variant.clone(),
            scenario: self.series.scenario.clone(),
            metric: self.series.metric.clone(),
            since: self.past.runs[row.runs[from]].id.clone(),
            size: share(moved.size()),
            low: share(low),
            high: share(high),
            verdict: self.direction(moved.size()),
        })
    }

    /// Between two apps, which of them moved is unknown.
    fn direction(&self, size: f64) -> Direction {
        if self.relative_to.is_some() && self.series.rows.len() == 2 {
            return Direction::Change;
        }
        direction(self.series, size)
    }
}

pub(super) fn direction(series: &Series, size: f64) -> Direction {
    match series.more_is_better {
        None => Direction::Change,
        Some(more) if more == (size > 0.0) => Direction::Improvement,
        Some(_) => Direction::Regression,
    }
}
