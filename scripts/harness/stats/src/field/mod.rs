//! Comparison of apps, from one log level of each app in each round.
//!
//! The model is `level[app, round] = app + round + noise`, and the variance of the noise is the app's own. What the machine
//! does to a whole round is in the levels of all apps, so it is estimated from all of them, each weighted with the inverse of
//! its variance, and cancels. An app's variance is its weighted sum of squares by the degrees of freedom that the rounds'
//! effects left to it (restricted maximum likelihood, H. D. Patterson and R. Thompson, Biometrika 58, 1971, for this model); a
//! few rounds say little about a variance, so it is drawn toward the apps' median as if two more degrees of freedom had found
//! that (G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004, with a fixed prior), unless it is so far
//! above that the median says nothing about it (after B. Phipson et al., Annals of Applied Statistics 10, 2016). With two apps
//! this is the paired t test. How it was chosen: docs/ranking.md.

mod variances;

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::median::{MIN_FOR_INTERVAL, median};
use crate::Interval;

/// Passes over effects, levels and variances, the same number as in the simulation of docs/ranking.md.
const PASSES: usize = 8;
/// Smallest standard deviation, in logarithms: below what any measurement resolves, and enough for a weight.
const RESOLVED: f64 = 1e-6;
/// Weight of the prior for a round's effect, as a share of its apps' weight: so small that it only keeps the levels finite where
/// no chain of rounds links two apps.
const FAINT: f64 = 1e-9;
/// Standard error, in logarithms, above which two apps are not linked.
const UNLINKED: f64 = 10.0;
/// Largest difference of logarithms that counts as equal.
const SAME: f64 = 1e-12;

/// The apps of one scenario and metric.
#[derive(Debug, Clone)]
pub struct Field {
    /// Whether the apps have one variance.
    is_shared: bool,
    rows: Vec<Vec<Option<f64>>>,
    levels: Vec<f64>,
    variances: Vec<f64>,
    freedom: Vec<f64>,
    /// Covariance of the levels.
    covariance: Vec<Vec<f64>>,
}

/// How far one app is above another, in logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// Best estimate.
    pub estimate: f64,
    /// Standard error and degrees of freedom; `None` where one of the two has fewer than [`MIN_FOR_INTERVAL`] rounds.
    pub(crate) spread: Option<Spread>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) error: f64,
    pub(crate) freedom: f64,
}

impl Difference {
    /// The interval that covers the truth with 95 %.
    pub fn interval(&self) -> Option<Interval> {
        self.covering(0.95)
    }

    /// The interval that covers the truth with this probability.
    pub fn covering(&self, probability: f64) -> Option<Interval> {
        let spread = self.spread?;
        let half = if spread.error > 0.0 {
            spread.error * quantile(spread.freedom, probability)?
        } else {
            0.0
        };
        Some(Interval::around(self.estimate, half))
    }

    /// Probability of such a difference, or a larger one, between two apps that differ by at most `least`.
    pub fn p_value(&self, least: f64) -> Option<f64> {
        let spread = self.spread?;
        let beyond = (self.estimate.abs() - least).max(0.0);
        if spread.error > 0.0 {
            return Some(2.0 * student(spread.freedom)?.cdf(-beyond / spread.error));
        }
        Some(if beyond > SAME { 0.0 } else { 1.0 })
    }
}

/// Within how many standard errors an estimate lies with this probability.
pub(crate) fn quantile(freedom: f64, probability: f64) -> Option<f64> {
    Some(student(freedom)?.inverse_cdf(0.5 + 0.5 * probability))
}

fn student(freedom: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom.clamp(1.0, 1e6)).ok()
}

impl Field {
    /// From a row for each app with a column for each round: natural logarithms, finite, `None` where there is no figure.
    /// All rows have the same length.
    pub fn new(rows: Vec<Vec<Option<f64>>>) -> Self {
        Self::fitted(rows, false)
    }

    /// The same where all apps vary alike: they have one variance, and those that vary far more have their own.
    pub(crate) fn shared(rows: Vec<Vec<Option<f64>>>) -> Self {
        Self::fitted(rows, true)
    }

    fn fitted(rows: Vec<Vec<Option<f64>>>, is_shared: bool) -> Self {
        let mut field = Self {
            is_shared,
            levels: rows
                .iter()
                .map(|row| median(&row.iter().flatten().copied().collect::<Vec<_>>()).unwrap_or_default())
                .collect(),
            variances: vec![1.0; rows.len()],
            freedom: vec![0.0; rows.len()],
            covariance: Vec::new(),
            rows,
        };
        for _ in 0..PASSES {
            field.pass();
        }
        field.solve();
        field
    }

    /// How far `one` is above `other`; `None` if no round links them.
    pub fn difference(&self, one: usize, other: usize) -> Option<Difference> {
        let (estimate, error) = self.estimate(one, other)?;
        if self.count(one).min(self.count(other)) < MIN_FOR_INTERVAL {
            return Some(Difference { estimate, spread: None });
        }
        let (error, freedom) = if self.never_moved(one, other) {
            (0.0, 1.0)
        } else {
            (error, self.freedom_of(one, other))
        };
        let spread = Some(Spread { error, freedom });
        Some(Difference { estimate, spread })
    }

    /// The same as a statement about another round, which nobody has seen; `None`, too, where nothing is known of the noise.
    pub(crate) fn again(&self, one: usize, other: usize) -> Option<Difference> {
        let (estimate, error) = self.estimate(one, other)?;
        let freedom = self.freedom_of(one, other);
        let error = (error * error + self.variances[one] + self.variances[other]).sqrt();
        let spread = Some(Spread { error, freedom });
        (freedom > 0.0).then_some(Difference { estimate, spread })
    }

    /// How far `one` is above `other`, and the standard error of that.
    fn estimate(&self, one: usize, other: usize) -> Option<(f64, f64)> {
        let between = |a: usize, b: usize| self.covariance[a][b];
        let variance = between(one, one) + between(other, other) - between(one, other) - between(other, one);
        let error = variance.max(0.0).sqrt();
        let is_linked = self.count(one) > 0 && self.count(other) > 0 && error <= UNLINKED;
        is_linked.then(|| (self.levels[one] - self.levels[other], error))
    }

    /// Degrees of freedom of a difference: F. E. Satterthwaite's, as B. L. Welch uses it.
    fn freedom_of(&self, one: usize, other: usize) -> f64 {
        let (a, b) = (self.variances[one], self.variances[other]);
        (a + b).powi(2) / (a * a / self.freedom[one] + b * b / self.freedom[other])
    }

    /// An app's level, in logarithms; only differences of levels have a meaning. `None` without a round.
    pub fn level(&self, app: usize) -> Option<f64> {
        (self.count(app) > 0).then(|| self.levels[app])
    }

    /// Whether an app has enough rounds for an interval.
    pub fn has_interval(&self, app: usize) -> bool {
        self.count(app) >= MIN_FOR_INTERVAL
    }

    /// Number of rounds in which an app has a figure.
    pub fn count(&self, app: usize) -> usize {
        self.rows[app].iter().flatten().count()
    }

    fn present(&self) -> usize {
        (0..self.rows.len()).filter(|app| self.count(*app) > 0).count()
    }

    /// Whether two apps kept exactly the same ratio in all rounds that they share: memory does.
    fn never_moved(&self, one: usize, other: usize) -> bool {
        let both = self.rows[one].iter().zip(&self.rows[other]);
        let differences: Vec<f64> = both.filter_map(|(a, b)| Some((*a)? - (*b)?)).collect();
        let is_same = |difference: &f64| (difference - differences[0]).abs() <= SAME;
        differences.len() >= MIN_FOR_INTERVAL && differences.iter().all(is_same)
    }

    /// For each round, the sum of the weights of the apps that have a figure in it.
    fn wholes(&self, weights: &[f64]) -> Vec<f64> {
        let mut wholes = vec![0.0; self.rows.first().map_or(0, Vec::len)];
        for (row, weight) in self.rows.iter().zip(weights) {
            for (whole, value) in wholes.iter_mut().zip(row) {
                *whole += value.map_or(0.0, |_| *weight);
            }
        }
        wholes
    }

    /// The effect of each round, given the levels.
    fn effects(&self, weights: &[f64], wholes: &[f64]) -> Vec<f64> {
        let mut effects = vec![0.0; wholes.len()];
        for ((row, weight), level) in self.rows.iter().zip(weights).zip(&self.levels) {
            for ((effect, whole), value) in effects.iter_mut().zip(wholes).zip(row) {
                *effect += value.map_or(0.0, |value| (value - level) * weight / whole);
            }
        }
        effects
    }

    fn weights(&self) -> Vec<f64> {
        self.variances.iter().map(|variance| 1.0 / variance).collect()
    }

    /// One step toward effects, levels and variances that fit each other.
    fn pass(&mut self) {
        let weights = self.weights();
        let wholes = self.wholes(&weights);
        let effects = self.effects(&weights, &wholes);
        let mut squares = vec![0.0; self.rows.len()];
        for (app, row) in self.rows.iter().enumerate() {
            let left = || {
                row.iter()
                    .zip(&effects)
                    .filter_map(|(value, effect)| Some((*value)? - effect))
            };
            let count = left().count() as f64;
            if count < 1.0 {
                self.freedom[app] = 0.0;
                continue;
            }
            let level = left().sum::<f64>() / count;
            let shares = row.iter().zip(&wholes).filter(|(value, _)| value.is_some());
            let own: f64 = shares.map(|(_, whole)| 1.0 - weights[app] / whole).sum();
            self.levels[app] = level;
            self.freedom[app] = (own * (count - 1.0) / count).max(0.0);
            squares[app] = left().map(|value| (value - level).powi(2)).sum();
        }
        if self.is_shared {
            self.share(&squares);
        } else {
            self.draw(&squares);
        }
    }

    /// Levels and their covariance by weighted least squares, the effects of the rounds eliminated.
    fn solve(&mut self) {
        let apps = self.rows.len();
        let weights = self.weights();
        let mut information = vec![vec![0.0; apps]; apps];
        let mut right = vec![0.0; apps];
        for (round, whole) in self.wholes(&weights).into_iter().enumerate() {
            let whole = whole * (1.0 + FAINT);
            let here: Vec<(usize, f64, f64)> = (0..apps)
                .filter_map(|app| Some((app, weights[app] / whole, self.rows[app][round]?)))
                .collect();
            let middle: f64 = here.iter().map(|(_, share, value)| share * value).sum();
            for (app, _, value) in &here {
                information[*app][*app] += weights[*app];
                right[*app] += weights[*app] * (value - middle);
                for (other, share, _) in &here {
                    information[*app][*other] -= weights[*app] * share;
                }
            }
        }
        for (app, row) in information.iter_mut().enumerate() {
            if self.rows[app].iter().all(Option::is_none) {
                row[app] = 1.0; // it takes no part
            }
        }
        self.covariance = inverse(information);
        let level = |row: &Vec<f64>| {
            row.iter()
                .zip(&right)
                .map(|(covariance, right)| covariance * right)
                .sum()
        };
        // Where nothing is missing, an app's mean is its level whatever the weights, and without rounding.
        let is_missing = |row: &Vec<Option<f64>>| (1..row.len()).contains(&row.iter().flatten().count());
        if self.rows.iter().any(is_missing) {
            self.levels = self.covariance.iter().map(level).collect();
        }
    }
}

/// Inverse of a symmetric positive definite matrix (Gauss and Jordan).
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for pivot in 0..size {
        let by = matrix[pivot][pivot];
        matrix[pivot][pivot] = 1.0;
        for value in &mut matrix[pivot] {
            *value /= by;
        }
        let pivot_row = matrix[pivot].clone();
        for (place, row) in matrix.iter_mut().enumerate() {
            if place != pivot {
                let factor = std::mem::take(&mut row[pivot]);
                for (value, above) in row.iter_mut().zip(&pivot_row) {
                    *value -= factor * above;
                }
            }
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::random::normal;

    fn rows(values: &[&[f64]]) -> Vec<Vec<Option<f64>>> {
        values
            .iter()
            .map(|row| row.iter().map(|value| value.is_finite().then_some(*value)).collect())
            .collect()
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6 * (1.0 + b.abs())
    }

    const MISSING: f64 = f64::NAN;

    /// Student's data of ten patients (Biometrika 6, 1908): mean difference 1.58, t 4.0621, p 0.002833, interval 0.7001 to
    /// 2.4599.
    #[test]
    fn with_two_apps_it_is_the_paired_t_test() {
        let one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let other = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let found = Field::new(rows(&[&one, &other])).difference(1, 0).unwrap();
        assert!(near(found.estimate, 1.58), "{found:?}");
        assert!((found.p_value(0.0).unwrap() - 0.002_833).abs() < 1e-6, "{found:?}");
        let interval = found.interval().unwrap();
        assert!((interval.low - 0.7001).abs() < 1e-4 && (interval.high - 2.4599).abs() < 1e-4);
    }

    #[test]
    fn what_a_round_does_to_all_cancels() {
        let noise = [0.01, -0.01, 0.02, 0.0, -0.02, 0.0];
        let machine = [0.0, 0.5, -0.3, 0.1, 0.9, -0.2];
        let at = |level: f64, turn: usize| -> Vec<f64> {
            (0..6)
                .map(|round| level + machine[round] + noise[(round + turn) % 6])
                .collect()
        };
        let field = Field::new(rows(&[&at(1.0, 0), &at(1.2, 1), &at(1.1, 2), &at(0.8, 4)]));
        let found = field.difference(1, 0).unwrap();
        assert!(near(found.estimate, 0.2));
        assert!(found.interval().unwrap().width() < 0.06, "{found:?}");
    }

    /// The second app misses the dear rounds: its mean alone would flatter it.
    #[test]
    fn missing_rounds_do_not_bias() {
        let machine = [0.0, 0.01, 0.0, -0.01, 0.0, 0.6, 0.7];
        let at = |level: f64| machine.map(|machine| level + machine);
        let mut absent = at(1.3);
        (absent[5], absent[6]) = (MISSING, MISSING);
        let mut noisy = at(1.1);
        noisy[0] += 0.02;
        let field = Field::new(rows(&[&at(1.0), &absent, &noisy, &[MISSING; 7]]));
        assert!(near(field.difference(1, 0).unwrap().estimate, 0.3));
        assert!(field.has_interval(1) && field.difference(1, 2).unwrap().interval().is_some());
        assert_eq!(field.difference(3, 0), None);
        assert!(!field.has_interval(3));
    }

    /// One that failed in every round must not be taken for one without noise, by which the others would be noisy.
    #[test]
    fn an_app_without_rounds_changes_nothing() {
        let noise = [0.01, -0.012, 0.004, 0.001, -0.008, 0.005];
        let at =
            |turn: usize, spread: f64| -> Vec<f64> { (0..6).map(|round| spread * noise[(round + turn) % 6]).collect() };
        let apps: Vec<Vec<f64>> = (0..7).map(|app| at(app, 1.0 + 0.12 * app as f64)).collect();
        let mut values: Vec<&[f64]> = apps.iter().map(Vec::as_slice).collect();
        let width = |values: &[&[f64]]| {
            let found = Field::new(rows(values)).difference(6, 0).unwrap();
            found.interval().unwrap().width()
        };
        let alone = width(&values);
        values.push(&[MISSING; 6]);
        assert!(near(width(&values), alone), "{alone}");
    }

    #[test]
    fn fewer_than_five_rounds_have_an_estimate_and_no_interval() {
        let field = Field::new(rows(&[&[1.0, 1.1, 1.2, 1.0], &[1.5, 1.6, 1.6, 1.5]]));
        let found = field.difference(1, 0).unwrap();
        assert!(near(found.estimate, 0.475));
        assert_eq!((found.interval(), found.p_value(0.0)), (None, None));
        let one_round = Field::new(rows(&[&[1.0], &[1.5]]));
        assert!(near(one_round.difference(1, 0).unwrap().estimate, 0.5));
        assert_eq!(Field::new(Vec::new()).present(), 0);
    }

    /// A field like README's: 26 apps with a noise of 0.6 %, three of which have 3, 5 and 8 times that. Share of the single
    /// intervals of noisy and of ordinary apps' ratios to the last app that cover the truth.
    #[test]
    fn intervals_of_noisy_and_ordinary_apps_cover_the_truth() {
        const RUNS: u32 = 2_000;
        const APPS: usize = 26;
        let mut rng = ChaCha8Rng::seed_from_u64(26);
        let mut noise = [0.006; APPS];
        (noise[0], noise[1], noise[2]) = (0.018, 0.030, 0.048);
        let mut covered = [0; APPS - 1];
        for _ in 0..RUNS {
            let mut row = |spread: &f64| (0..6).map(|_| Some(spread * normal(&mut rng))).collect();
            let field = Field::new(noise.iter().map(&mut row).collect());
            for (app, covered) in covered.iter_mut().enumerate() {
                let interval = field.difference(app, APPS - 1).unwrap().interval().unwrap();
                *covered += u32::from(interval.contains(0.0));
            }
        }
        let share = |apps: &[u32]| f64::from(apps.iter().sum::<u32>()) / (apps.len() as f64 * f64::from(RUNS));
        for noisy in &covered[..3] {
            assert!(share(&[*noisy]) >= 0.94, "{covered:?}");
        }
        assert!((0.95..0.965).contains(&share(&covered[3..])), "{covered:?}");
    }

    #[test]
    fn what_shares_no_round_has_no_difference() {
        let strangers = rows(&[
            &[1.0, 1.1, MISSING, MISSING],
            &[MISSING, MISSING, 2.0, 2.1],
            &[1.5, 1.4, MISSING, MISSING],
        ]);
        let field = Field::new(strangers);
        assert_eq!(field.difference(1, 0), None);
        assert!(near(field.difference(2, 0).unwrap().estimate, 0.4));
    }

    #[test]
    fn equal_is_equal_and_a_difference_that_never_moves_is_certain() {
        let noisy = [0.01, 0.05, -0.03, 0.02, 0.0];
        let field = Field::new(rows(&[&[2.0; 5], &[2.0; 5], &[2.1; 5], &noisy]));
        let equal = field.difference(0, 1).unwrap();
        assert_eq!((equal.estimate, equal.p_value(0.0)), (0.0, Some(1.0)));
        let certain = field.difference(2, 0).unwrap();
        assert_eq!(certain.p_value(0.0), Some(0.0));
        let interval = certain.interval().unwrap();
        assert!(near(interval.low, 0.1) && near(interval.high, 0.1));
        assert!(field.difference(0, 3).unwrap().p_value(0.0).unwrap() > 0.0);
    }
}
