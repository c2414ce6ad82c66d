//! Who moved, where some apps part from the others: those some, or all the others?
//!
//! What is left of an app is relative to the middle of all. Where most apps become dearer by a bump that they share, the few that it did
//! not touch look as if they had become cheaper. Two things know better: the reference, which never changes, stays with those
//! who did not move; and an app whose sources and dependencies are the same has done nothing.

use super::common_mode::Residual;
use super::divisive::{ChangePoint, inflation};
use crate::stats;

/// Runs beside a change in which a step of another server may be the same one: noise puts either too early or too late.
const NEAR: usize = 6;
/// Fewest values of the reference that say how much it spreads.
const FEWEST: usize = 6;
/// The reference must lie this many standard errors on one side of the middle between those who stayed and those who moved; more where
/// another app parted in the same way, for that is what a change of all others looks like. Found by simulation: docs/history.md.
const CLEAR_ALONE: f64 = 1.0;
const CLEAR: f64 = 2.5;

/// Who made a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribution {
    /// The app's own.
    Own,
    /// That of the others: the app stayed where it was.
    Others,
    /// Nobody can tell yet.
    Unclear,
}

/// The reference, relative to the middle of all.
#[derive(Debug)]
pub struct Reference<'a> {
    row: &'a Residual,
    /// Standard deviation about its level.
    spread: f64,
    rho: f64,
}

impl<'a> Reference<'a> {
    /// With what is left of it; `None` where that is too little.
    pub fn try_new(row: &'a Residual, rho: f64) -> Option<Self> {
        let (mut squares, mut freedom) = (0.0, 0);
        for level in row.deviations() {
            let mean = level.iter().sum::<f64>() / level.len() as f64;
            squares += level.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            freedom += level.len().saturating_sub(1);
        }
        (row.values.len() >= FEWEST && freedom > 0).then(|| Self {
            row,
            spread: (squares / freedom as f64).sqrt(),
            rho,
        })
    }

    /// Who made a change of `size` that begins at the first run of `after`; `alone` if no other app parted from the middle with it.
    pub fn attribution(&self, size: f64, before: &[usize], after: &[usize], alone: bool) -> Option<Attribution> {
        let (moved, error) = self.moved(before, after)?;
        let with = moved * size.signum() - size.abs() / 2.0;
        let clear = if alone { CLEAR_ALONE } else { CLEAR };
        Some(match with {
            with if with <= -clear * error => Attribution::Own,
            with if with >= clear * error => Attribution::Others,
            _ => Attribution::Unclear,
        })
    }

    /// By how much the reference moved between these runs, and the standard error of it.
    fn moved(&self, before: &[usize], after: &[usize]) -> Option<(f64, f64)> {
        let variance = |runs: &[usize]| {
            let count = runs.iter().filter(|run| self.row.value_in(**run).is_some()).count();
            self.spread.powi(2) * inflation(count, self.rho) / count as f64
        };
        let moved = moved(self.row, before, after)?;
        Some((moved, (variance(before) + variance(after)).sqrt()))
    }
}

/// By how much what is left of a server moved between these runs. Its steps at other times than the first of `after` are left out.
pub fn moved(row: &Residual, before: &[usize], after: &[usize]) -> Option<f64> {
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
    Some(mean(after)? - mean(before)?)
}
