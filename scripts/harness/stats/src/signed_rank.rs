//! The paired test: Wilcoxon's exact signed-rank test, with its estimate and interval.
//!
//! Each pair of base and head gives one log-ratio. Under "no change" its sign is a fair coin for any symmetric distribution;
//! swapping the order within the pairs (AB BA) makes it symmetric. The distribution of the statistic is
//! counted, not approximated, with mid-ranks where values tie; so its size is never above the nominal one.
//!
//! F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945); estimate and interval: J. L. Hodges
//! and E. L. Lehmann, Annals of Mathematical Statistics 34 (1963), from the Walsh averages.

use std::iter;

use crate::Interval;

/// Confidence of the interval that is shown.
pub const CONFIDENCE: f64 = 0.95;

/// What a test of two sides found: by how much the second is above the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// Hodges-Lehmann estimate: the median of all averages of two pairs, or of all differences of two values.
    pub estimate: f64,
    /// 95 % interval; unbounded where there are too few values for one.
    pub interval: Interval,
    /// Two-sided p-value of "no change".
    pub p: f64,
}

/// Tests whether `values` lie around zero; `None` if there are none.
pub fn test(values: &[f64]) -> Option<Shift> {
    let mut averages: Vec<f64> = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
    for (index, one) in values.iter().enumerate() {
        averages.extend(values[index..].iter().map(|other| f64::midpoint(*one, *other)));
    }
    averages.sort_by(f64::total_cmp);
    let estimate = crate::median(&averages)?;
    let interval = lower_cut(values.len()).map(|cut| within(&averages, cut));
    Some(Shift {
        estimate,
        interval: interval.unwrap_or(Interval::UNBOUNDED),
        p: p_value(values),
    })
}

/// Smallest p-value that `pairs` pairs can have: all on one side.
pub fn smallest_p(pairs: u32) -> f64 {
    2.0 * 0.5_f64.powi(i32::try_from(pairs).unwrap_or(i32::MAX))
}

/// Exact two-sided p-value. Values of zero say nothing and are left out.
fn p_value(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| *value != 0.0).collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = doubled_ranks(&sorted.iter().map(|value| value.abs()).collect::<Vec<_>>());
    let positive: usize = sorted
        .iter()
        .zip(&ranks)
        .filter(|(value, _)| **value > 0.0)
        .map(|(_, rank)| rank)
        .sum();
    let chances = distribution(&ranks);
    let all: usize = ranks.iter().sum();
    let smaller = positive.min(all - positive);
    (2.0 * chances[..=smaller].iter().sum::<f64>()).min(1.0)
}

/// Twice the mid-rank of each of these values, which are sorted. It is a whole number: ranks i+1 … j average to (i + 1 + j) / 2.
pub(crate) fn doubled_ranks(sorted: &[f64]) -> Vec<usize> {
    let alike = sorted.chunk_by(|one, next| one.total_cmp(next).is_eq());
    let mut from = 0;
    let ranks = alike.flat_map(|ties| {
        let rank = 2 * from + ties.len() + 1;
        from += ties.len();
        iter::repeat_n(rank, ties.len())
    });
    ranks.collect()
}

/// Probability of each sum of a random half of `ranks`.
fn distribution(ranks: &[usize]) -> Vec<f64> {
    let mut chances = vec![0.0; ranks.iter().sum::<usize>() + 1];
    chances[0] = 1.0;
    let mut reached = 0;
    for rank in ranks {
        reached += rank;
        for sum in (0..=reached).rev() {
            let with = if sum >= *rank { chances[sum - rank] } else { 0.0 };
            chances[sum] = f64::midpoint(chances[sum], with);
        }
    }
    chances
}

/// How many of the smallest averages lie outside the interval; `None` if even all of them do not give 95 %.
fn lower_cut(count: usize) -> Option<usize> {
    let ranks: Vec<usize> = (1..=count).collect();
    rare(distribution(&ranks))
}

/// The last sum that lies outside the interval, by the probabilities of the sums from the smallest on.
pub(crate) fn rare(chances: impl IntoIterator<Item = f64>) -> Option<usize> {
    let below = chances.into_iter().scan(0.0, |below, chance| {
        *below += chance;
        Some(*below)
    });
    let outside = below.take_while(|below| *below <= (1.0 - CONFIDENCE) / 2.0);
    outside.count().checked_sub(1)
}

/// The interval without so many of these sorted values at each end.
pub(crate) fn within(sorted: &[f64], cut: usize) -> Interval {
    Interval {
        low: sorted[cut],
        high: sorted[sorted.len() - 1 - cut],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Darwin's maize, crossed against self-fertilised, in eighths of an inch (R. A. Fisher, "The Design of Experiments",
    /// 1935): W+ = 96 of 120, exact p = 0.0413.
    #[test]
    fn darwins_maize() {
        let values = [
            49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0,
        ];
        let found = test(&values).unwrap();
        assert!((found.p - 0.041_26).abs() < 1e-4, "{found:?}");
        assert!(
            found.interval.low > 0.0 && found.interval.low < found.estimate && found.estimate < found.interval.high
        );
    }

    #[test]
    fn known_tails() {
        // All on one side: 2 ÷ 2^n.
        let found = test(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert!((found.p - smallest_p(6)).abs() < 1e-12 && (found.p - 0.031_25).abs() < 1e-12);
        assert!((found.estimate - 3.5).abs() < 1e-12);
        // Six of six is 96.9 % sure: the interval is everything from the smallest to the largest.
        assert_eq!(found.interval, Interval { low: 1.0, high: 6.0 });
        // Five of five is 93.75 % sure only.
        assert!(test(&[1.0; 5]).unwrap().interval.high.is_infinite());
        // Table: n = 10, P(W ≤ 8) = 0.0244, so 8 averages are cut.
        assert_eq!(lower_cut(10), Some(8));
        assert!((test(&[1.0, -2.0, 3.0]).unwrap().p - 0.75).abs() < 1e-12);
    }

    #[test]
    fn ties_are_counted_exactly_and_zeros_say_nothing() {
        // Four equal values: every split is as likely, all four positive has 2 ÷ 16.
        assert!((test(&[2.0, 2.0, 2.0, 2.0]).unwrap().p - 0.125).abs() < 1e-12);
        assert!((test(&[0.0, 0.0, 0.0]).unwrap().p - 1.0).abs() < 1e-12);
        assert!((test(&[0.0, 1.0]).unwrap().p - 1.0).abs() < 1e-12);
        assert!(test(&[]).is_none());
    }

    proptest! {
        #[test]
        fn swapping_the_sides_turns_the_answer_around(values in prop::collection::vec(-1.0..1.0_f64, 6..30)) {
            let swapped: Vec<f64> = values.iter().map(|value| -value).collect();
            let (one, other) = (test(&values).unwrap(), test(&swapped).unwrap());
            prop_assert!((one.p - other.p).abs() < 1e-9);
            prop_assert!((one.estimate + other.estimate).abs() < 1e-9);
            prop_assert!((one.interval.low + other.interval.high).abs() < 1e-9);
            prop_assert!(one.interval.contains(one.estimate));
        }
    }
}
