//! The median of a few trials and an interval for it that assumes nothing about how trials spread.
//!
//! The interval lies between order statistics. Of `n` independent trials the number below the true median is binomial
//! (n, ½), so the interval from the k-th smallest to the k-th largest covers the median with the probability
//! `1 − 2·P(B(n, ½) < k)`, whatever the distribution: skewed, heavy-tailed or with outliers. Between two such k the ends
//! are interpolated as in T. P. Hettmansperger and S. J. Sheather, "Confidence intervals based on interpolated order
//! statistics", Statistics & Probability Letters 4 (1986), equation 2.2, to come as near to 95 % as the data allow.
//!
//! Five trials are the fewest for which this is honest: the range from the smallest to the largest of five covers the median with
//! 93.75 %. With fewer there is no interval, and a figure without an interval is not ranked.

use schemars::JsonSchema;
use serde::Serialize;
use statrs::function::beta::beta_reg;

use crate::Interval;

/// Target coverage.
const COVERAGE: f64 = 0.95;

/// Fewest trials that have an interval: min to max of five covers 93.75 %, of four only 87.5 %.
pub const MIN_FOR_INTERVAL: usize = 5;

/// A median with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Estimate {
    /// Median of the values.
    pub median: f64,
    /// 95 % interval of the median; `None` for fewer than [`MIN_FOR_INTERVAL`] values.
    pub interval: Option<Interval>,
    /// How many values there were.
    pub count: usize,
}

/// Median and interval of `values`; `None` if there are none. Values must be finite.
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    Some(Estimate {
        median: median(values)?,
        interval: (values.len() >= MIN_FOR_INTERVAL).then(|| interval(values)),
        count: values.len(),
    })
}

/// Median of `values`; `None` if there are none.
pub fn median(values: &[f64]) -> Option<f64> {
    let (mut values, is_even) = (values.to_vec(), values.len().is_multiple_of(2));
    if values.is_empty() {
        return None;
    }
    let half = values.len() / 2;
    let (below, upper, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    let lower = below
        .iter()
        .filter(|_| is_even)
        .max_by(|one, other| one.total_cmp(other));
    Some(lower.map_or(*upper, |lower| f64::midpoint(*lower, *upper)))
}

/// Arithmetic mean of `values`; `None` if there are none.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Interval of the median of at least [`MIN_FOR_INTERVAL`] values.
fn interval(values: &[f64]) -> Interval {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    // The largest k (counted from 1) whose interval still has at least the target coverage.
    let mut k = 1;
    while k < n / 2 && coverage(n, k + 1) >= COVERAGE {
        k += 1;
    }
    let outer = coverage(n, k);
    let weight = if outer <= COVERAGE || k >= n / 2 {
        0.0 // five trials: even the widest interval covers less than 95 %
    } else {
        let inner = coverage(n, k + 1);
        let share = (outer - COVERAGE) / (outer - inner);
        let (n, k) = (n as f64, k as f64);
        (n - k) * share / (k + (n - 2.0 * k) * share)
    };
    let low = sorted[k - 1];
    let high = sorted[n - k];
    let toward_low = sorted[k.min(n - 1)];
    let toward_high = sorted[n - k - 1];
    Interval {
        low: low + weight * (toward_low - low),
        high: high + weight * (toward_high - high),
    }
}

/// Probability that the median lies between the k-th smallest and the k-th largest of `n`.
fn coverage(n: usize, k: usize) -> f64 {
    // P(B < k) as an incomplete beta function, for 2^-n itself may be smaller than any number that f64 has.
    1.0 - 2.0 * beta_reg((n - k + 1) as f64, k as f64, 0.5)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::random::{normal, uniform};

    /// Noise as machines make it, with a known median.
    #[derive(Debug, Clone, Copy)]
    enum Noise {
        /// Symmetric.
        Normal,
        /// Skewed: what times usually are.
        LogNormal,
        /// Student's t with 2 degrees of freedom on the log scale: no finite variance.
        HeavyTailed,
        /// One in ten is disturbed and three times as large.
        Outliers,
    }

    impl Noise {
        fn median(self) -> f64 {
            match self {
                Self::Normal | Self::LogNormal | Self::HeavyTailed => 100.0,
                // By bisection: 0.9·Φ((ln x − ln 100)/0.05) + 0.1·Φ((ln x − ln 300)/0.05) = ½, so Φ = 0.5/0.9.
                Self::Outliers => 100.0 * (0.05_f64 * 0.139_710_298_881_862_1).exp(),
            }
        }

        fn draw(self, rng: &mut ChaCha8Rng) -> f64 {
            match self {
                Self::Normal => 100.0 + 10.0 * normal(rng),
                Self::LogNormal => 100.0 * (0.2 * normal(rng)).exp(),
                Self::HeavyTailed => 100.0 * (0.1 * normal(rng) / (-uniform(rng).ln()).sqrt()).exp(),
                Self::Outliers => {
                    let factor = if uniform(rng) < 0.1 { 3.0 } else { 1.0 };
                    100.0 * factor * (0.05 * normal(rng)).exp()
                }
            }
        }
    }

    #[test]
    fn medians_by_hand() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn five_span_from_smallest_to_largest_and_four_have_no_interval() {
        let five = estimate(&[5.0, 3.0, 9.0, 1.0, 4.0]).unwrap();
        assert_eq!(five.interval, Some(Interval { low: 1.0, high: 9.0 }));
        assert_eq!(estimate(&[1.0, 2.0, 3.0, 4.0]).unwrap().interval, None);
    }

    /// Coverages from the binomial table (n = 5, 6, 10).
    #[test]
    fn coverage_is_that_of_the_binomial_table() {
        assert!((coverage(5, 1) - 0.9375).abs() < 1e-12);
        assert!((coverage(6, 1) - 0.968_75).abs() < 1e-12);
        assert!((coverage(10, 2) - 0.978_515_625).abs() < 1e-12);
        assert!((coverage(10, 3) - 0.890_625).abs() < 1e-12);
    }

    /// n = 10: outer interval (2, 9) covers 0.9785, inner (3, 8) 0.8906; share (0.9785 − 0.95) ÷ 0.0879 = 0.3244,
    /// weight 8·0.3244 ÷ (2 + 6·0.3244) = 0.6577.
    #[test]
    fn ten_are_interpolated_as_published() {
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let found = estimate(&values).unwrap().interval.unwrap();
        assert!((found.low - 2.657_7).abs() < 1e-3, "{found:?}");
        assert!((found.high - 8.342_3).abs() < 1e-3, "{found:?}");
    }

    /// The promise of the record: 95 % intervals cover the truth in 93 to 97 % of simulated runs, at the number of
    /// rounds of the profiles and at more, for every kind of noise that a machine makes.
    #[test]
    fn intervals_cover_the_truth() {
        const RUNS: u32 = 10_000;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for rounds in [5, 6, 7, 10, 15, 30] {
            for noise in [Noise::Normal, Noise::LogNormal, Noise::HeavyTailed, Noise::Outliers] {
                let mut covered = 0;
                for _ in 0..RUNS {
                    let values: Vec<f64> = (0..rounds).map(|_| noise.draw(&mut rng)).collect();
                    let interval = estimate(&values).unwrap().interval.unwrap();
                    covered += u32::from(interval.contains(noise.median()));
                }
                let share = f64::from(covered) / f64::from(RUNS);
                assert!(
                    (0.93..=0.97).contains(&share),
                    "{noise:?} with {rounds} rounds: {share}"
                );
            }
        }
    }

    /// As far from the middle as the normal approximation has it, `1.96·√n ÷ 2`: 1,074 is the last n whose `½^n` a f64 can hold.
    #[test]
    fn thousands_have_an_interval_too() {
        for n in [1_074, 1_075, 10_000] {
            let values: Vec<f64> = (1..=n).map(f64::from).collect();
            let found = estimate(&values).unwrap();
            let (half, found) = (0.979_982 * f64::from(n).sqrt(), found.interval.unwrap());
            let middle = f64::from(n + 1) / 2.0;
            assert!((middle - half - found.low).abs() < 0.2, "{n}: {found:?}");
            assert!((middle + half - found.high).abs() < 0.2, "{n}: {found:?}");
        }
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_median(values in prop::collection::vec(0.1..1e6_f64, 5..40)) {
            let found = estimate(&values).unwrap();
            prop_assert!(found.interval.unwrap().contains(found.median));
        }
    }
}
