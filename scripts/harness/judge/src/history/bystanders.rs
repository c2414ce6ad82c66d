//! Which apps moved, where some diverge from the rest: those few, or all the others?
//!
//! What is left of an app is relative to the median of all. Where most apps become slower by a shared update of a dependency, the few
//! that it does not touch seem to have become faster. Two facts decide: the reference, which never changes, stays with the apps
//! that did not move; and an app whose sources and dependencies are the same has not changed.

use super::common_mode::Residual;
use super::divisive::{ChangePoint, inflation};
use crate::stats;

/// Distance in runs within which the step of another server may be the same change: noise places either too early or too late.
const NEAR: usize = 6;
/// Fewest values from which the spread of the reference is estimated.
const FEWEST: usize = 6;
/// The reference must lie this many standard errors to one side of the midpoint between the apps that stayed and those that moved;
/// more where another app diverged in the same way, because a change of all others looks like that. Found by simulation:
/// docs/history.md.
const CLEAR_ALONE: f64 = 1.0;
const CLEAR: f64 = 2.5;

/// Who changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribution {
    /// The app itself.
    Own,
    /// The others; the app stayed where it was.
    Others,
    /// Unknown so far.
    Unclear,
}

/// The reference, relative to the median of all.
#[derive(Debug)]
pub struct Reference<'a> {
    row: &'a Residual,
    /// Standard deviation about its level.
    spread: f64,
    rho: f64,
}

impl<'a> Reference<'a> {
    /// From what is left of it; `None` where that is too little.
    pub fn try_new(row: &'a Residual, rho: f64) -> Option<Self> {
        let (variance, _) = row.variance()?;
        (row.values.len() >= FEWEST).then(|| Self {
            row,
            spread: variance.sqrt(),
            rho,
        })
    }

    /// Who changed by `size` at the first run of `after`; `alone` if no other app diverged from the median with it.
    pub fn attribution(&self, size: f64, before: &[usize], after: &[usize], alone: bool) -> Option<Attribution> {
        let (moved, error) = self.movement(before, after)?;
        let with = moved * size.signum() - size.abs() / 2.0;
        let clear = if alone { CLEAR_ALONE } else { CLEAR };
        Some(match with {
            with if with <= -clear * error => Attribution::Own,
            with if with >= clear * error => Attribution::Others,
            _ => Attribution::Unclear,
        })
    }

    /// By how much the reference moved between these runs, and the standard error of it.
    fn movement(&self, before: &[usize], after: &[usize]) -> Option<(f64, f64)> {
        let variance = |runs: &[usize]| {
            let count = runs.iter().filter(|run| self.row.value_in(**run).is_some()).count();
            self.spread.powi(2) * inflation(count, self.rho) / count as f64
        };
        let moved = movement(self.row, before, after)?;
        let (before, after) = (&self.row.comparable(before, after), &self.row.comparable(after, after));
        let of_joints = self.spread.powi(2) * self.row.joint_variance(before, after);
        Some((moved, (variance(before) + variance(after) + of_joints).sqrt()))
    }
}

/// By how much what is left of a server moved between these runs, as far as they can be compared. Its steps at other times than the
/// first run of `after` are left out.
pub fn movement(row: &Residual, before: &[usize], after: &[usize]) -> Option<f64> {
    let at = *after.first()?;
    let without_other_steps = |run: usize| {
        let others = row.points.iter().filter(|point| {
            let step = row.runs[point.at];
            step <= run && step.abs_diff(at) > NEAR
        });
        Some(row.value_in(run)? - others.map(ChangePoint::size).sum::<f64>())
    };
    let mean = |runs: &[usize]| {
        let values: Vec<f64> = runs.iter().filter_map(|run| without_other_steps(*run)).collect();
        stats::mean(&values)
    };
    Some(mean(&row.comparable(after, after))? - mean(&row.comparable(before, after))?)
}
