//! The last run, before another one can confirm it: is it far enough off to be reported?

use super::common_mode::Residual;
use crate::stats::median;

/// Robust standard deviations from the level that are far off.
const FAR: f64 = 5.0;
/// Fewest values from which the spread about a level is estimated.
const FEWEST: usize = 8;
/// A normal distribution's standard deviation ÷ its median absolute deviation.
const NORMAL: f64 = 1.4826;

/// How far off the last value is, if that is suspicious; a difference of logarithms, at least `smallest`.
pub fn suspicious(row: &Residual, smallest: f64) -> Option<f64> {
    let from = row.points.last().map_or(0, |point| point.at);
    let (last, earlier) = row.runs[from..].split_last()?;
    let level = row.comparable(earlier, &[*last]);
    if level.len() < FEWEST {
        return None;
    }
    let value = |run: &usize| row.value_in(*run);
    let values: Vec<f64> = level.iter().filter_map(value).collect();
    let middle = median(&values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let off = value(last)? - middle;
    // Beyond a joint, a value is also as far off as the joint is.
    let of_joint = (1.0 + row.joint_variance(&level, &[*last])).sqrt();
    let spread = NORMAL * median(&distances)? * of_joint;
    (off.abs() > FAR * spread && off.abs() >= smallest).then_some(off)
}
