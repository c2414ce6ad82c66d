//! From the slices of one pair to its two values.
//!
//! A slice of base and a slice of head that were driven one right after the other make a ratio. On a machine that is shared
//! with others most of these ratios lie within a few per cent, and some far out: a neighbour's burst lasts for one to four
//! slices of 0.05 s and makes them up to 1.5 times as dear. So the ratio of a pair is the interquartile mean of the
//! log-ratios of its adjacent slices (J. W. Tukey's trimmed mean, a quarter off each end): a burst hits a slice and not its
//! neighbour, a change of the program hits all of them. What would be missed is an effect on fewer than a quarter of the
//! slices, a pause once a second for example.

use super::outcome::Pair;
use crate::stats::median;

/// Share of the ratios that is left out at each end.
const TRIMMED: f64 = 0.25;

/// The pair's values, from one value of each slice; slices of the same index were driven one after the other.
///
/// Head ÷ base is the trimmed mean ratio, and their geometric mean is the median of all slices. `None` without slices, or if
/// a value is not positive.
pub fn pair(base: &[f64], head: &[f64]) -> Option<Pair> {
    let positive = |values: &[f64]| values.iter().all(|value| value.is_finite() && *value > 0.0);
    if base.is_empty() || base.len() != head.len() || !positive(base) || !positive(head) {
        return None;
    }
    let ratios: Vec<f64> = base.iter().zip(head).map(|(base, head)| (head / base).ln()).collect();
    let half = trimmed_mean(&ratios) / 2.0;
    let middle = median(&[base, head].concat())?;
    Some(Pair {
        base: middle * (-half).exp(),
        head: middle * half.exp(),
    })
}

fn trimmed_mean(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a quarter of a few dozen
    let trimmed = (sorted.len() as f64 * TRIMMED) as usize;
    let kept = &sorted[trimmed..sorted.len() - trimmed];
    kept.iter().sum::<f64>() / kept.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_is_left_out_at_each_end() {
        assert!((trimmed_mean(&[100.0, 1.0, 2.0, -50.0]) - 1.5).abs() < 1e-12);
        assert!((trimmed_mean(&[3.0]) - 3.0).abs() < 1e-12);
        assert!(
            (trimmed_mean(&[1.0, 2.0, 6.0]) - 3.0).abs() < 1e-12,
            "of three none is left out"
        );
    }

    #[test]
    fn a_burst_on_one_side_does_not_count_and_a_change_does() {
        let base = [10.0; 8];
        let mut head = [10.5; 8];
        let pair_of = |head: &[f64]| pair(&base, head).unwrap();
        let found = pair_of(&head);
        assert!((found.head / found.base - 1.05).abs() < 1e-12);
        (head[2], head[3]) = (15.0, 16.0);
        let found = pair_of(&head);
        assert!((found.head / found.base - 1.05).abs() < 1e-12);
        assert!((found.head * found.base - 10.25 * 10.25).abs() < 1e-9);
    }

    #[test]
    fn what_has_no_ratio_has_no_pair() {
        assert_eq!(pair(&[], &[]), None);
        assert_eq!(pair(&[1.0], &[0.0]), None);
        assert_eq!(pair(&[1.0, 2.0], &[1.0]), None);
        assert_eq!(pair(&[f64::INFINITY], &[1.0]), None);
    }
}
