//! Where a series changes its level.
//!
//! E-divisive means finds where a series is best split in two: D. S. Matteson, N. A. James, "A nonparametric approach for
//! multiple change point analysis of multivariate data", Journal of the American Statistical Association 109 (2014). This is
//! Hunter's variant (M. Fleming et al., ICPE 2023, arXiv 2301.03034): Student's t-test in place of random permutations, so that
//! the same series always has the same changes; windows, so that a long history does not hide a short episode; and points that
//! are found with a generous threshold and then merged with the strict one.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::beta::beta_reg;

use super::joint_error::{JointError, step_across};

/// What counts as a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Values that are examined together.
    pub window: usize,
    /// Largest p-value of a change.
    pub p: f64,
    /// Smallest difference of two levels.
    pub smallest: f64,
    /// Correlation of neighbouring values, 0 where they are independent.
    pub rho: f64,
}

/// How much more generous the first threshold is.
const GENEROUS: f64 = 10.0;
/// Fewest values on either side of a change: one value has no spread, and may be due to chance.
const FEWEST: usize = 2;

/// One side of a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Arithmetic mean.
    pub mean: f64,
    /// Sum of the squared deviations from it.
    squares: f64,
    /// Number of values.
    pub count: usize,
    /// Variance of the mean ÷ that of equally many independent values.
    inflation: f64,
}

/// A change of the level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// First value of the new level.
    pub at: usize,
    /// The level before it, back to the previous change.
    pub before: Level,
    /// The level from it on, up to the next change.
    pub after: Level,
    /// Two-sided p-value of Student's test that both have one mean.
    pub p: f64,
    /// Difference of the levels.
    size: f64,
    /// Standard error of it, and its degrees of freedom.
    error: (f64, f64),
}

impl Level {
    fn new(values: &[f64], rho: f64) -> Self {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Self {
            mean,
            squares: values.iter().map(|value| (value - mean).powi(2)).sum(),
            count: values.len(),
            inflation: inflation(values.len(), rho),
        }
    }
}

impl ChangePoint {
    /// The change at `at` between the level from `from` on and the one up to `to`; both have two values or more. Where joints lie
    /// between them, their error is part of its own; it is none at all where it lies at a joint of which nothing is known.
    pub fn between(values: Values<'_>, (from, at, to): (usize, usize, usize), rho: f64) -> Self {
        let before = Level::new(&values.values[from..at], rho);
        let after = Level::new(&values.values[at..to], rho);
        let (counts, freedom) = (
            (before.count as f64, after.count as f64),
            before.count as f64 + after.count as f64 - before.inflation - after.inflation,
        );
        let of_means = before.inflation / counts.0 + after.inflation / counts.1;
        let mut found = Self {
            at,
            before,
            after,
            p: 1.0,
            size: after.mean - before.mean,
            error: (((before.squares + after.squares) / freedom * of_means).sqrt(), freedom),
        };
        let joints: Vec<&JointError> = values.joints.iter().filter(|joint| joint.parts(from..to)).collect();
        if !joints.is_empty() {
            let Some(step) = step_across(values.values, (from, at, to), &joints) else {
                found.error = (f64::INFINITY, freedom);
                return found;
            };
            // Correlated values tell as much less of this difference as of that of two means.
            let inflation = of_means / (1.0 / counts.0 + 1.0 / counts.1);
            let freedom = (freedom - step.parameters).max(1.0);
            found.size = step.size;
            found.error = ((step.squares / freedom * step.variance * inflation).sqrt(), freedom);
        }
        found.p = p_value(found.size / found.error.0, found.error.1);
        found
    }

    /// Difference of the levels.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// 95 % interval of the difference, by Student's t.
    pub fn interval(&self) -> (f64, f64) {
        let (error, freedom) = self.error;
        let reach = if error == 0.0 { 0.0 } else { quantile(freedom) * error };
        (self.size() - reach, self.size() + reach)
    }
}

/// Distance of either end of a 95 % interval from its middle, in standard errors: Student's t.
pub fn quantile(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975))
}

/// The values of a series, and the joints over which it was put together.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// The values in their order.
    pub values: &'a [f64],
    /// Joints; each has a place for each value.
    pub joints: &'a [JointError],
}

impl<'a> From<&'a [f64]> for Values<'a> {
    fn from(values: &'a [f64]) -> Self {
        Self { values, joints: &[] }
    }
}

/// Variance of the mean of `count` values of a first-order autoregression, ÷ that of equally many independent ones (T. W. Anderson,
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
pub fn change_points(values: Values<'_>, settings: Settings) -> Vec<ChangePoint> {
    let mut points = Vec::new();
    let mut from = 0;
    let step = (settings.window / 2).max(1);
    let count = values.values.len();
    while from < count {
        let to = (from + settings.window).min(count);
        let found = split(values, (from, to), settings.p * GENEROUS, settings.rho);
        let last = found.iter().max().copied();
        points.extend(found);
        if to == count {
            break;
        }
        // Values before a change say nothing about those after it.
        from = last.map_or(from + step, |last| last.max(from + step));
    }
    points.sort_unstable();
    points.dedup();
    merge(values, points, settings)
}

/// Hierarchical bisection: where the values from `from` up to `to` are best split, and where the parts are, as long as the test finds
/// two levels. Where it finds none and a joint lies between, each side of the joint is examined by itself: the error of the joint may
/// be what hid a change on one side.
fn split(values: Values<'_>, (from, to): (usize, usize), p: f64, rho: f64) -> Vec<usize> {
    let is_change = |at: &usize| ChangePoint::between(values, (from, *at, to), rho).p <= p;
    let best = best_split(&values.values[from..to]).map(|at| from + at);
    let (at, found) = if let Some(at) = best.filter(is_change) {
        (at, vec![at])
    } else {
        let mut joints = values.joints.iter().filter_map(|joint| joint.place(from..to));
        let Some(at) = joints.next() else {
            return Vec::new();
        };
        (at, Vec::new())
    };
    let left = split(values, (from, at), p, rho);
    [left, found, split(values, (at, to), p, rho)].concat()
}

/// Removes the weakest point and tests its neighbours again, until all that remain are changes.
fn merge(values: Values<'_>, mut points: Vec<usize>, settings: Settings) -> Vec<ChangePoint> {
    loop {
        let bounds: Vec<usize> = [&[0], points.as_slice(), &[values.values.len()]].concat();
        let found: Vec<ChangePoint> = bounds
            .windows(3)
            .map(|bounds| ChangePoint::between(values, (bounds[0], bounds[1], bounds[2]), settings.rho))
            .collect();
        let unsure = found
            .iter()
            .enumerate()
            .filter(|(_, point)| point.p > settings.p)
            .max_by(|(_, one), (_, other)| one.p.total_cmp(&other.p));
        let small = found
            .iter()
            .enumerate()
            .filter(|(_, point)| point.size().abs() < settings.smallest)
            .min_by(|(_, one), (_, other)| one.size().abs().total_cmp(&other.size().abs()));
        let Some((weakest, _)) = unsure.or(small) else {
            return found;
        };
        points.remove(weakest);
    }
}

/// Where the two parts of `values` differ most, by the energy statistic (Matteson and James, equation 7, α = 1); `None` if
/// there are too few for two parts. The second part may end before the values do: what follows may be a third level.
fn best_split(values: &[f64]) -> Option<usize> {
    let count = values.len();
    let sums = Sums::new(values);
    let mut best: Option<(f64, usize)> = None;
    for at in FEWEST..=count.checked_sub(FEWEST)? {
        for to in at + FEWEST..=count {
            let (left, right) = (at as f64, (to - at) as f64);
            let within = |sum: f64, size: f64| 2.0 * sum / (size * (size - 1.0));
            let energy = 2.0 * sums.between(0, at, to) / (left * right)
                - within(sums.within(0, at), left)
                - within(sums.within(at, to), right);
            let statistic = left * right / (left + right) * energy;
            if best.is_none_or(|(most, _)| statistic > most) {
                best = Some((statistic, at));
            }
        }
    }
    best.map(|(_, at)| at)
}

/// Sums of the distances of all pairs, from which those of any two parts follow directly.
struct Sums {
    /// At `i * side + j`: sum over the first `i` and the first `j` values.
    table: Vec<f64>,
    side: usize,
}

impl Sums {
    fn new(values: &[f64]) -> Self {
        let side = values.len() + 1;
        let mut table = vec![0.0; side * side];
        for (i, one) in values.iter().enumerate() {
            for (j, other) in values.iter().enumerate() {
                table[(i + 1) * side + j + 1] =
                    (one - other).abs() + table[i * side + j + 1] + table[(i + 1) * side + j] - table[i * side + j];
            }
        }
        Self { table, side }
    }

    /// Over all pairs of one value in `from..at` and one in `at..to`.
    fn between(&self, from: usize, at: usize, to: usize) -> f64 {
        self.rectangle(from, at, at, to)
    }

    /// Over all pairs of values in `from..to`, each pair once.
    fn within(&self, from: usize, to: usize) -> f64 {
        self.rectangle(from, to, from, to) / 2.0
    }

    fn rectangle(&self, top: usize, bottom: usize, left: usize, right: usize) -> f64 {
        let at = |row: usize, column: usize| self.table[row * self.side + column];
        at(bottom, right) - at(top, right) - at(bottom, left) + at(top, left)
    }
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
        window: 50,
        p: 0.001,
        smallest: 0.0,
        rho: 0.0,
    };

    fn places(values: &[f64], settings: Settings) -> Vec<usize> {
        change_points(values.into(), settings)
            .iter()
            .map(|point| point.at)
            .collect()
    }

    /// The examples that Apache Otava, which is Hunter, tests itself by.
    #[test]
    fn published_examples() {
        let drop = [
            1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96, 0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49, 0.51,
            0.50, 0.49,
        ];
        let strict = Settings { p: 0.0001, ..SETTINGS };
        assert_eq!(places(&drop, Settings { window: 10, ..strict }), [10]);
        assert_eq!(places(&drop, strict), [10]);
        let stairs = [
            0.3, 2.4, 1.5, -0.9, -0.5, 99.7, 98.3, 99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0,
        ];
        assert_eq!(places(&stairs, Settings { p: 0.01, ..SETTINGS }), [5, 8]);
    }

    #[test]
    fn published_p_values() {
        let same = [1.00, 1.02, 1.05, 0.95, 0.98, 1.00, 1.02, 1.05, 0.95, 0.98];
        assert!((ChangePoint::between(same.as_slice().into(), (0, 5, 10), 0.0).p - 1.0).abs() < 0.01);
        let less = [1.00, 1.02, 1.05, 0.95, 0.98, 0.80, 0.82, 0.85, 0.79, 0.77];
        assert!(ChangePoint::between(less.as_slice().into(), (0, 5, 10), 0.0).p < 0.001);
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
