//! Which apps moved, where some diverge from the rest: those few, or all the others? And is the last run tentatively a change?
//!
//! What is left of an app is relative to the median of all. Where most apps become slower by a shared update of a dependency, the few
//! that it does not touch seem to have become faster. Two facts decide: the reference, which never changes, stays with the apps
//! that did not move; and an app whose sources and dependencies are the same has not changed.

use super::common_mode::Residual;
use super::shift::{SeriesJudge, Shift};
use model::SubjectId;
use stats::median;
use stats::segments::inflation;

/// Distance in runs within which the step of another server may be the same change: noise places either too early or too late.
pub const NEAR: usize = 6;
/// Fewest values from which the spread of the reference is estimated.
const FEWEST_OF_REFERENCE: usize = 6;
/// The reference must lie this many standard errors to one side of the midpoint between the apps that stayed and those that moved;
/// more where another app diverged in the same way, because a change of all others looks like that. Found by simulation:
/// docs/history.md.
const CLEAR_ALONE: f64 = 1.0;
const CLEAR: f64 = 2.5;
/// Robust standard deviations of the last run from the level that are far off.
const FAR: f64 = 5.0;
/// Fewest values from which the spread about a level is estimated.
const FEWEST_OF_LEVEL: usize = 8;
/// A normal distribution's standard deviation ÷ its median absolute deviation.
const NORMAL: f64 = 1.4826;

/// Who changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribution {
    /// The app itself.
    Own,
    /// The others; the app stayed where it was.
    Others,
    /// Unknown so far: the reference lies between.
    Unclear,
    /// Unknown for good: there is neither a reference nor a build to know it by.
    Unknown,
}

impl SeriesJudge<'_> {
    /// Who changed: this app or the others.
    pub(super) fn attribution(&self, subject: &SubjectId, shift: &Shift) -> Attribution {
        if let Some(known) = self.without_reference() {
            return known;
        }
        let around = shift.around();
        let is_touched = |subject| self.timeline.is_touched(subject, &around);
        let others = self.series.rows.keys().filter(|other| *other != subject);
        let touched: Vec<bool> = others.filter_map(is_touched).collect();
        let most = touched.iter().filter(|touched| **touched).count() * 2 > touched.len();
        let by_builds = match is_touched(subject) {
            Some(true) if !most && !touched.is_empty() => Some(Attribution::Own),
            Some(false) if most => Some(Attribution::Others),
            _ => None,
        };
        match (by_builds, self.by_reference(shift)) {
            (None, None) => Attribution::Unknown,
            (Some(Attribution::Own), _) => Attribution::Own,
            (_, Some(clear @ (Attribution::Own | Attribution::Others))) => clear,
            (Some(by_builds), _) => by_builds,
            (None, Some(unclear)) => unclear,
        }
    }

    /// The same of the last runs and the first ones of a year, which many builds lie between.
    pub(super) fn attribution_of_drift(&self, shift: &Shift) -> Attribution {
        let known = self.without_reference().or_else(|| self.by_reference(shift));
        known.unwrap_or(Attribution::Unknown)
    }

    /// Where no reference is needed: nothing else moves a count, and which of two apps moved stays unknown.
    fn without_reference(&self) -> Option<Attribution> {
        let is_between_apps = self.relative_to.is_some() && self.series.rows.len() == 2;
        match self.series.is_counted() || self.relative_to.is_some() {
            true if is_between_apps => Some(Attribution::Unknown),
            true => Some(Attribution::Own),
            false => None,
        }
    }

    /// By the reference alone; `None` where too little is left of it. All that it did in these runs counts: where it made a step of its own,
    /// the app, which made none, may have stayed with it.
    fn by_reference(&self, shift: &Shift) -> Option<Attribution> {
        let row = self.reference.as_ref()?;
        let spread = row.variance()?.sqrt();
        let moved = shift.moved(|run| row.value_in(run))?;
        if row.values.len() < FEWEST_OF_REFERENCE {
            return None;
        }
        let variance = |runs: &[usize]| {
            let count = runs.iter().filter(|run| row.value_in(**run).is_some()).count();
            spread.powi(2) * inflation(count, self.fit.rho) / count as f64
        };
        let error = (variance(shift.before) + variance(shift.after)).sqrt();
        let diverged = |row: &&Residual| shift.is_shared(self::moved(row, shift));
        let is_alone = self.fit.rows.iter().filter(diverged).count() <= 1;
        let clear = if is_alone { CLEAR_ALONE } else { CLEAR };
        let (size, moved) = (shift.size.abs(), moved * shift.size.signum());
        Some(match clear * error {
            // All moved against the reference, and this app more or less than they did while the median was on its way.
            _ if moved <= -2.0 * size => Attribution::Others,
            error if moved <= size / 2.0 - error => Attribution::Own,
            error if moved >= size / 2.0 + error => Attribution::Others,
            _ => Attribution::Unclear,
        })
    }
}

/// By how much what is left of a server moved with a shift. Its steps at other times are left out.
pub fn moved(row: &Residual, shift: &Shift) -> Option<f64> {
    let at = *shift.after.first()?;
    shift.moved(|run| {
        let others = row.points.iter().filter(|point| {
            let step = row.runs[point.at];
            step <= run && step.abs_diff(at) > NEAR
        });
        Some(row.value_in(run)? - others.map(|point| point.size).sum::<f64>())
    })
}

/// The last run, before another one can confirm it, where it is at least `smallest` and far off the level.
pub fn tentative(row: &Residual, smallest: f64) -> Option<Shift<'_>> {
    let from = row.points.last().map_or(0, |point| point.at);
    let (last, level) = row.values[from..].split_last()?;
    if level.len() < FEWEST_OF_LEVEL {
        return None;
    }
    let middle = median(level)?;
    let distances: Vec<f64> = level.iter().map(|value| (value - middle).abs()).collect();
    let off = last - middle;
    let is_far = off.abs() > FAR * NORMAL * median(&distances)? && off.abs() >= smallest;
    let (before, after) = row.runs[from..].split_at(level.len());
    is_far.then_some(Shift {
        before,
        after,
        size: off,
        interval: (off, off),
        p: 1.0,
    })
}
