//! Ratios of two figures, paired within the rounds.
//!
//! A machine's speed drifts while a run goes on; within a round, app and reference see nearly the same machine. So the
//! value is divided by the reference's value of the same round, and the median and its interval are taken over the
//! rounds' ratios, on the log scale (T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013,
//! on ratios of performance). Order statistics are the same on either scale; only the interpolation between them is
//! not, and logarithms make it symmetric: the ratio of A to B is 1 ÷ the ratio of B to A.

use super::median::{Estimate, estimate};

/// Median and interval of `value ÷ reference` over the pairs; pairs in which one is not positive are left out.
pub fn paired_ratio(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let logs: Vec<f64> = pairs
        .iter()
        .filter(|(value, reference)| *value > 0.0 && *reference > 0.0)
        .map(|(value, reference)| (value / reference).ln())
        .collect();
    let found = estimate(&logs)?;
    Some(Estimate {
        median: found.median.exp(),
        interval: found.interval.map(|interval| interval.map(f64::exp)),
        count: found.count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_drifts_leaves_the_ratio_alone() {
        let pairs = [1.0, 0.7, 1.3, 0.5, 1.1].map(|speed| (80_000.0 * speed, 100_000.0 * speed));
        let found = paired_ratio(&pairs).unwrap();
        assert!((found.median - 0.8).abs() < 1e-12);
        let interval = found.interval.unwrap();
        assert!((interval.low - 0.8).abs() < 1e-12 && (interval.high - 0.8).abs() < 1e-12);
    }

    #[test]
    fn the_ratio_of_the_swapped_pair_is_the_inverse() {
        let pairs = [(3.0, 2.0), (2.5, 2.0), (2.2, 2.1), (2.9, 1.9), (2.4, 2.2), (2.6, 2.0)];
        let swapped = pairs.map(|(a, b)| (b, a));
        let (one, other) = (paired_ratio(&pairs).unwrap(), paired_ratio(&swapped).unwrap());
        assert!((one.median * other.median - 1.0).abs() < 1e-12);
        assert!((one.interval.unwrap().low * other.interval.unwrap().high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_zero_is_no_pair() {
        assert_eq!(paired_ratio(&[(0.0, 1.0), (1.0, 0.0)]), None);
        assert_eq!(paired_ratio(&[(0.0, 1.0), (2.0, 1.0)]).unwrap().count, 1);
    }
}
