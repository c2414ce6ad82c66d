//! The unpaired test: the exact rank-sum test of Wilcoxon, and of Mann and Whitney, with its estimate and interval.
//!
//! For figures that are counted, not timed: nothing that comes and goes moves both sides of a pair, so that every value of one side can be
//! compared with every value of the other. Without a change all values are of one distribution, whatever it is, and each division of
//! them into two sides is as likely as any other. Of eight and eight one in 6,435 separates them, while eight pairs are all on one side in
//! one of 128: so far fewer pairs decide than with [`super::signed_rank`].
//!
//! H. B. Mann and D. R. Whitney, Annals of Mathematical Statistics 18 (1947). Estimate and interval are from the differences of any two
//! values (Hodges and Lehmann); up to three pairs, of which no such interval is 95 % sure, from the pairs' by Student's distribution.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::signed_rank::{CONFIDENCE, Shift, doubled_ranks, rare, within};
use crate::{Interval, mean, median};

/// Up to so many values of each side all divisions are counted; sums of more are taken for normally distributed, which errs on the side of
/// "no change".
const COUNTED: usize = 20;

/// Tests whether the second values of `pairs` are shifted against the first ones; `None` if there are none.
pub fn test(pairs: &[[f64; 2]]) -> Option<Shift> {
    let heads = || pairs.iter().map(|[_, head]| *head);
    let differences = pairs.iter().flat_map(|[base, _]| heads().map(move |head| head - base));
    let mut differences: Vec<f64> = differences.collect();
    differences.sort_by(f64::total_cmp);
    let interval = lower_cut(pairs.len()).map(|cut| within(&differences, cut));
    Some(Shift {
        estimate: median(&differences)?,
        interval: interval.unwrap_or_else(|| student(pairs)),
        p: p_value(pairs),
    })
}

/// Smallest p-value that `pairs` pairs can have: the sides are separate.
pub fn smallest_p(pairs: u32) -> f64 {
    (1..=pairs).fold(2.0, |p, one| p * f64::from(one) / f64::from(pairs + one))
}

/// Two-sided p-value, ties counted.
fn p_value(pairs: &[[f64; 2]]) -> f64 {
    let mut values: Vec<(f64, bool)> = pairs
        .iter()
        .flat_map(|[base, head]| [(*base, false), (*head, true)])
        .collect();
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let ranks = doubled_ranks(&values.iter().map(|(value, _)| *value).collect::<Vec<_>>());
    let of_head = values.iter().zip(&ranks).filter(|((_, is_head), _)| *is_head);
    let of_head: usize = of_head.map(|(_, rank)| rank).sum();
    let smaller = of_head.min(ranks.iter().sum::<usize>() - of_head);
    if pairs.len() <= COUNTED {
        return (2.0 * chances(&ranks, smaller).iter().sum::<f64>()).min(1.0);
    }
    let (middle, deviation) = normal(&ranks);
    // Sums of doubled ranks are two apart.
    let beyond = (smaller as f64 + 1.0 - middle) / deviation;
    (2.0 * Normal::standard().cdf(beyond)).min(1.0)
}

/// Probability of each sum, up to `most`, of a random half of these ranks.
fn chances(ranks: &[usize], most: usize) -> Vec<f64> {
    let half = ranks.len() / 2;
    // By how many ranks and what sum: the number of choices.
    let mut choices = vec![vec![0.0; most + 1]; half + 1];
    choices[0][0] = 1.0;
    for (seen, rank) in (1..).zip(ranks) {
        for chosen in (1..=half.min(seen)).rev() {
            for sum in *rank..=most {
                choices[chosen][sum] += choices[chosen - 1][sum - rank];
            }
        }
    }
    let all = (1..=half).fold(1.0, |all, one| all * (half + one) as f64 / one as f64);
    choices
        .swap_remove(half)
        .into_iter()
        .map(|choices| choices / all)
        .collect()
}

/// Mean and standard deviation of the sum of a random half of these ranks.
fn normal(ranks: &[usize]) -> (f64, f64) {
    let (count, all) = (ranks.len() as f64, ranks.iter().sum::<usize>() as f64);
    let squares: f64 = ranks.iter().map(|rank| (*rank as f64 - all / count).powi(2)).sum();
    (all / 2.0, (squares / 4.0 * count / (count - 1.0)).sqrt())
}

/// How many of the smallest differences lie outside the interval; `None` if even all of them do not give 95 %.
fn lower_cut(pairs: usize) -> Option<usize> {
    let ranks: Vec<usize> = (1..=2 * pairs).collect();
    let least = pairs * (pairs + 1) / 2;
    if pairs > COUNTED {
        let (middle, deviation) = normal(&ranks);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // hundreds
        return Some((middle - 2.0 * deviation) as usize - least);
    }
    rare(chances(&ranks, least + pairs * pairs / 2).into_iter().skip(least))
}

/// The interval of the mean of the pairs' differences; unbounded of fewer than two.
fn student(pairs: &[[f64; 2]]) -> Interval {
    let differences: Vec<f64> = pairs.iter().map(|[base, head]| head - base).collect();
    let freedom = differences.len().saturating_sub(1) as f64;
    let (middle, Ok(student)) = (
        mean(&differences).unwrap_or_default(),
        StudentsT::new(0.0, 1.0, freedom),
    ) else {
        return Interval::UNBOUNDED;
    };
    let squares: f64 = differences.iter().map(|value| (value - middle).powi(2)).sum();
    let error = (squares / freedom / differences.len() as f64).sqrt();
    let half = error * student.inverse_cdf(f64::midpoint(1.0, CONFIDENCE));
    Interval::around(middle, half)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Base 0, 1, 2 …, head by so much more.
    fn shifted(pairs: u32, by: f64) -> Vec<[f64; 2]> {
        (0..pairs).map(|at| [f64::from(at), f64::from(at) + by]).collect()
    }

    #[test]
    fn known_tails() {
        // Sides that are separate: 2 of the 20 divisions of six, and of the 12,870 of sixteen.
        assert!((test(&shifted(3, 10.0)).unwrap().p - 0.1).abs() < 1e-12);
        let found = test(&shifted(8, 10.0)).unwrap();
        assert!((found.p - 2.0 / 12_870.0).abs() < 1e-12 && (found.p - smallest_p(8)).abs() < 1e-12);
        assert!((found.estimate - 10.0).abs() < 1e-12);
        // Tables: n = m = 8, P(U ≤ 13) = 0.0249, and of four and four only U = 0 is rare enough (1 of 70).
        assert_eq!(
            (lower_cut(8), lower_cut(4), lower_cut(3), lower_cut(0)),
            (Some(13), Some(0), None, None)
        );
        // 1 2 | 2 3: two of six choices of two mid-ranks sum up to that of 1 and 2½, and none to less.
        assert!((p_value(&[[1.0, 2.0], [2.0, 3.0]]) - 2.0 / 3.0).abs() < 1e-12);
        assert!((p_value(&[[1.0, 1.0]; 5]) - 1.0).abs() < 1e-12);
        assert!(test(&[]).is_none());
    }

    #[test]
    fn three_pairs_have_students_interval() {
        let found = test(&[[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]]).unwrap();
        let half = 4.302_653 / 3.0_f64.sqrt();
        assert!((found.interval.high - (2.0 + half)).abs() < 1e-5, "{found:?}");
        assert_eq!(
            test(&[[1.0, 1.0]; 3]).unwrap().interval,
            Interval { low: 0.0, high: 0.0 }
        );
        assert!(test(&[[0.0, 1.0]]).unwrap().interval.high.is_infinite());
    }

    #[test]
    fn more_are_told_apart_as_carefully_as_few() {
        let [exact, more] = [20, 21].map(|pairs| {
            // Every other pair the other way round, and three of four.
            let turned = |every: u32| -> Vec<[f64; 2]> {
                let pairs = shifted(pairs, 0.5).into_iter().zip(0_u32..);
                pairs
                    .map(|([base, head], at)| if at % every == 0 { [head, base] } else { [base, head] })
                    .collect()
            };
            [test(&turned(2)).unwrap(), test(&shifted(pairs, 9.5)).unwrap()]
        });
        for (exact, more) in exact.into_iter().zip(more) {
            // Far out, the approximation is the more careful one.
            assert!((0.8..4.0).contains(&(more.p / exact.p)), "{exact:?} {more:?}");
            let wider = more.interval.width() / exact.interval.width();
            assert!((0.95..1.1).contains(&wider), "{exact:?} {more:?}");
        }
    }

    proptest! {
        #[test]
        fn swapping_the_sides_turns_the_answer_around(values in prop::collection::vec(prop::array::uniform2(-1.0..1.0_f64), 4..20)) {
            let swapped: Vec<[f64; 2]> = values.iter().map(|[base, head]| [*head, *base]).collect();
            let (one, other) = (test(&values).unwrap(), test(&swapped).unwrap());
            prop_assert!((one.p - other.p).abs() < 1e-9);
            prop_assert!((one.estimate + other.estimate).abs() < 1e-9);
            prop_assert!((one.interval.low + other.interval.high).abs() < 1e-9);
            prop_assert!(one.interval.contains(one.estimate));
        }
    }
}
