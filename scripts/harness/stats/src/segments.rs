//! Where a series changes its level.
//!
//! Optimal partitioning (B. Jackson et al., IEEE Signal Processing Letters 12, 2005) looks at all partitions of the series into levels at
//! once, so that what ended is seen as well as what lasts. It proposes generously; of what it proposes, Student's t-test removes the
//! weakest step until all that remain are changes.

use crate::{mean, median};
use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::beta::beta_reg;

/// What counts as a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Largest p-value of a change.
    pub p: f64,
    /// Smallest difference of two levels.
    pub smallest: f64,
    /// Correlation of neighbouring values, 0 where they are independent.
    pub rho: f64,
}

/// By how many variances of a value the squared deviations must shrink to propose one more level.
const PENALTY: f64 = 8.0;
/// Fewest values of a level: one value has no spread, and may be due to chance.
const FEWEST: usize = 2;
/// A level of fewer values is young if it is the last, and brief if it has ended.
const YOUNG: usize = 8;
/// How much smaller the p-value of an older step must be, by chance found in any of many runs, and of both steps of a brief level, which
/// could be anywhere and of any length. Found by simulation: docs/history.md.
const OLD_P: f64 = 0.2;
const BRIEF_P: f64 = 0.05;
/// A normal distribution's standard deviation ÷ the median distance of two values that follow each other.
pub const OF_NEIGHBOURS: f64 = 1.0484;

/// A change of the level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// First value of the new level.
    pub at: usize,
    /// Values of the level before it, back to the previous change.
    pub before: usize,
    /// Values of the level from it on, up to the next change.
    pub after: usize,
    /// Difference of the levels' means.
    pub size: f64,
    /// Two-sided p-value of Student's test that both have one mean.
    pub p: f64,
    /// Standard error of the difference.
    error: f64,
    freedom: f64,
}

impl ChangePoint {
    /// The change between the first `at` values and the others; both are two or more.
    pub fn between(values: &[f64], at: usize, rho: f64) -> Self {
        let bounds = [0, at, values.len()];
        Self::new(values, bounds, rho, spread(values, &bounds, rho))
    }

    /// The change at the second of these bounds. Its spread is the two levels', or all levels' if that is more.
    fn new(values: &[f64], bounds: [usize; 3], rho: f64, (of_all, freedom): (f64, f64)) -> Self {
        let [from, at, to] = bounds;
        let (variance, _) = spread(values, &bounds, rho);
        let of_means = inflation(at - from, rho) / (at - from) as f64 + inflation(to - at, rho) / (to - at) as f64;
        let [old, new] = [&values[from..at], &values[at..to]].map(|level| mean(level).unwrap_or_default());
        let (size, error) = (new - old, (variance.max(of_all) * of_means).sqrt());
        // Outliers are no level: more than half of its values are nearer to it than to the other.
        let beyond = |level: &[f64], sign: f64| {
            let beyond = level
                .iter()
                .filter(|value| (*value - f64::midpoint(old, new)) * size * sign > 0.0);
            2 * beyond.count() > level.len()
        };
        let are_levels = beyond(&values[from..at], -1.0) && beyond(&values[at..to], 1.0);
        Self {
            at,
            before: at - from,
            after: to - at,
            size,
            p: if are_levels {
                p_value(size / error, freedom)
            } else {
                1.0
            },
            error,
            freedom,
        }
    }

    /// 95 % interval of the difference, by Student's t.
    pub fn interval(&self) -> (f64, f64) {
        let t = StudentsT::new(0.0, 1.0, self.freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975));
        let reach = if self.error == 0.0 { 0.0 } else { t * self.error };
        (self.size - reach, self.size + reach)
    }
}

/// Variance of a value about its level, and its degrees of freedom, from the levels between these bounds.
pub fn spread(values: &[f64], bounds: &[usize], rho: f64) -> (f64, f64) {
    let (mut squares, mut freedom) = (0.0, 0.0);
    for bounds in bounds.windows(2) {
        let level = &values[bounds[0]..bounds[1]];
        let mean = mean(level).unwrap_or_default();
        squares += level.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        freedom += level.len() as f64 - inflation(level.len(), rho);
    }
    (squares / freedom, freedom)
}

/// Variance of the mean of `count` values of a first-order autoregression ÷ the variance for as many independent ones (T. W. Anderson,
/// "The Statistical Analysis of Time Series", 1971, section 8.1: 1 + 2 Σ (1 − k/n) ρᵏ).
pub fn inflation(count: usize, rho: f64) -> f64 {
    let mut sum = 1.0;
    let mut power = rho;
    for lag in 1..count {
        sum += 2.0 * (1.0 - lag as f64 / count as f64) * power;
        power *= rho;
        if power < 1e-6 {
            break;
        }
    }
    sum
}

/// All changes of a series, in its order.
pub fn change_points(values: &[f64], settings: Settings) -> Vec<ChangePoint> {
    let mut bounds = partition(values, settings);
    loop {
        let of_all = spread(values, &bounds, settings.rho);
        let points = bounds.windows(3);
        let points = points.map(|it| ChangePoint::new(values, [it[0], it[1], it[2]], settings.rho, of_all));
        let found: Vec<ChangePoint> = points.collect();
        let is_short = |from: usize, to: usize| from > 0 && to - from < YOUNG;
        let p = |point: &ChangePoint| {
            let (from, to) = (point.at - point.before, point.at + point.after);
            let (is_last, is_new_short) = (to == values.len(), is_short(point.at, to));
            settings.p
                * match (is_short(from, point.at) || (is_new_short && !is_last), is_new_short) {
                    (true, _) => BRIEF_P,
                    (false, true) => 1.0,
                    (false, false) => OLD_P,
                }
        };
        let unsure = found.iter().filter(|point| point.p > p(point));
        let small = found.iter().filter(|point| point.size.abs() < settings.smallest);
        let weakest = unsure
            .max_by(|one, other| one.p.total_cmp(&other.p))
            .or(small.min_by(|one, other| one.size.abs().total_cmp(&other.size.abs())));
        let Some(weakest) = weakest.map(|point| point.at) else {
            return found;
        };
        bounds.retain(|bound| *bound != weakest);
    }
}

/// Bounds of the levels, both ends included, by which the squared deviations and a penalty for each level are least.
fn partition(values: &[f64], settings: Settings) -> Vec<usize> {
    let count = values.len();
    let steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    // Steps far below the smallest change need not be proposed; nor is there a penalty of 0 for values that are all the same.
    let spread = (OF_NEIGHBOURS * median(&steps).unwrap_or(0.0))
        .max(settings.smallest / 20.0)
        .max(1e-9);
    // Correlation makes neighbours more alike, and levels less.
    let penalty = PENALTY * spread.powi(2) * (1.0 + settings.rho) / (1.0 - settings.rho).powi(2);
    let middle = mean(values).unwrap_or_default();
    let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
    for (place, value) in values.iter().enumerate() {
        sums.push(sums[place] + value - middle);
        squares.push(squares[place] + (value - middle).powi(2));
    }
    let lengths: Vec<f64> = (0..=count).rev().map(|length| length as f64).collect();
    // Least cost of the values up to each place, and where the last level begins. All costs of a place are computed before the least is
    // looked for, and slices are of one length, so that the processor does several at once: most of the time of a history passes here.
    let (mut best, mut begins) = (vec![f64::INFINITY; count + 1], vec![0; count + 1]);
    best[0] = 0.0;
    let mut costs = vec![0.0; count];
    for to in FEWEST..=count {
        let (sum, square, of) = (sums[to], squares[to], to + 1 - FEWEST);
        let (costs, best_of, sums, squares) = (&mut costs[..of], &best[..of], &sums[..of], &squares[..of]);
        let lengths = &lengths[count - to..][..of];
        for from in 0..of {
            let sum: f64 = sum - sums[from];
            costs[from] = best_of[from] + (square - squares[from] - sum * sum / lengths[from]) + penalty;
        }
        let mut least = [f64::INFINITY; 4];
        let (fours, rest) = costs.as_chunks::<4>();
        for four in fours {
            for lane in 0..4 {
                if four[lane] < least[lane] {
                    least[lane] = four[lane];
                }
            }
        }
        best[to] = least.iter().chain(rest).copied().fold(f64::INFINITY, f64::min);
        begins[to] = costs.iter().position(|cost| *cost <= best[to]).unwrap_or(0);
    }
    let mut bounds = vec![count];
    while let Some(from) = bounds.last().filter(|to| **to > 0).map(|to| begins[*to]) {
        bounds.push(from);
    }
    bounds.reverse();
    bounds
}

/// Two-sided p-value of Student's t.
fn p_value(t: f64, freedom: f64) -> f64 {
    if t.is_nan() {
        return 1.0; // two equal values on each side, all the same
    }
    if t.is_infinite() {
        return 0.0;
    }
    beta_reg(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Settings = Settings {
        p: 0.001,
        smallest: 0.0,
        rho: 0.0,
    };

    fn places(values: &[f64], settings: Settings) -> Vec<usize> {
        change_points(values, settings).iter().map(|point| point.at).collect()
    }

    /// The examples that Apache Otava, which is Hunter, tests itself by.
    #[test]
    fn published_examples() {
        let drop = [
            1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96, 0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49, 0.51,
            0.50, 0.49,
        ];
        let strict = Settings { p: 0.0001, ..SETTINGS };
        assert_eq!(places(&drop, strict), [10]);
        let stairs = [
            0.3, 2.4, 1.5, -0.9, -0.5, 99.7, 98.3, 99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0,
        ];
        assert_eq!(places(&stairs, Settings { p: 0.01, ..SETTINGS }), [5, 8]);
    }

    #[test]
    fn published_p_values() {
        let same = [1.00, 1.02, 1.05, 0.95, 0.98, 1.00, 1.02, 1.05, 0.95, 0.98];
        assert!((ChangePoint::between(&same, 5, 0.0).p - 1.0).abs() < 0.01);
        let less = [1.00, 1.02, 1.05, 0.95, 0.98, 0.80, 0.82, 0.85, 0.79, 0.77];
        assert!(ChangePoint::between(&less, 5, 0.0).p < 0.001);
    }

    /// Student's table: 97.5 % of the distribution lie below.
    #[test]
    fn p_values_are_those_of_the_tables() {
        for (freedom, t) in [(1.0, 12.706), (4.0, 2.776), (10.0, 2.228), (30.0, 2.042)] {
            assert!((p_value(t, freedom) - 0.05).abs() < 1e-4, "{freedom}");
            assert!((p_value(-t, freedom) - 0.05).abs() < 1e-4, "{freedom}");
        }
    }

    #[test]
    fn too_few_values_have_no_change() {
        for count in 0..4 {
            assert_eq!(places(&vec![1.0; count], SETTINGS), [0; 0]);
        }
        assert_eq!(places(&[1.0; 40], SETTINGS), [0; 0]);
    }
}
