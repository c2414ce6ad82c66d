//! Where a series changes its level.
//!
//! E-divisive means finds where a series is best split in two: D. S. Matteson, N. A. James, "A nonparametric approach for
//! multiple change point analysis of multivariate data", Journal of the American Statistical Association 109 (2014). This is
//! Hunter's variant (M. Fleming et al., ICPE 2023, arXiv 2301.03034): Student's t-test in place of random permutations, so that
//! the same series always has the same changes; windows, so that a long history does not hide a short episode; and points that
//! are found with a generous threshold and then merged with the strict one.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::beta::beta_reg;

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
    /// The change at `at` between the level from `from` on and the one up to `to`; both have two values or more.
    pub fn between(values: &[f64], (from, at, to): (usize, usize, usize), rho: f64) -> Self {
        let (old, new) = (&values[from..at], &values[at..to]);
        let mean = |level: &[f64]| level.iter().sum::<f64>() / level.len() as f64;
        let squares = |level: &[f64], mean: f64| level.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let (counts, means) = ((old.len() as f64, new.len() as f64), (mean(old), mean(new)));
        let inflations = (inflation(old.len(), rho), inflation(new.len(), rho));
        let freedom = counts.0 + counts.1 - inflations.0 - inflations.1;
        let of_means = inflations.0 / counts.0 + inflations.1 / counts.1;
        let variance = (squares(old, means.0) + squares(new, means.1)) / freedom;
        let (size, error) = (means.1 - means.0, (variance * of_means).sqrt());
        Self {
            at,
            before: old.len(),
            after: new.len(),
            size,
            p: p_value(size / error, freedom),
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
pub fn change_points(values: &[f64], settings: Settings) -> Vec<ChangePoint> {
    let mut points = Vec::new();
    let mut from = 0;
    let step = (settings.window / 2).max(1);
    let count = values.len();
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
/// two levels.
fn split(values: &[f64], (from, to): (usize, usize), p: f64, rho: f64) -> Vec<usize> {
    let best = best_split(&values[from..to]).map(|at| from + at);
    let Some(at) = best.filter(|at| ChangePoint::between(values, (from, *at, to), rho).p <= p) else {
        return Vec::new();
    };
    let (left, right) = (split(values, (from, at), p, rho), split(values, (at, to), p, rho));
    [left, vec![at], right].concat()
}

/// Removes the weakest point and tests its neighbours again, until all that remain are changes.
fn merge(values: &[f64], mut points: Vec<usize>, settings: Settings) -> Vec<ChangePoint> {
    loop {
        let bounds: Vec<usize> = [&[0], points.as_slice(), &[values.len()]].concat();
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
            .filter(|(_, point)| point.size.abs() < settings.smallest)
            .min_by(|(_, one), (_, other)| one.size.abs().total_cmp(&other.size.abs()));
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
        assert!((ChangePoint::between(&same, (0, 5, 10), 0.0).p - 1.0).abs() < 0.01);
        let less = [1.00, 1.02, 1.05, 0.95, 0.98, 0.80, 0.82, 0.85, 0.79, 0.77];
        assert!(ChangePoint::between(&less, (0, 5, 10), 0.0).p < 0.001);
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
