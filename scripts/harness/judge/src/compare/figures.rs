//! The figures of the pairs of one series: computed where they are measured, and again where a comparison from elsewhere is read.

use super::outcome::{Pair, Series};
use super::signed_rank;
use super::signed_rank::SignedRank;
use crate::stats::median;
use record::Interval;

/// By how much a figure may differ from the one computed here, as a share: `ln` and `exp` differ in the last bits between
/// machines.
const TOLERANCE: f64 = 1e-9;

/// What is computed from pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Head ÷ base − 1, Hodges-Lehmann estimate over the pairs. `None` if there are no pairs.
    pub change: Option<f64>,
    /// Its 95 % interval. `None` if there are too few pairs for one.
    pub interval: Option<Interval>,
    /// Two-sided p-value.
    pub p: Option<f64>,
    /// Median of base, in the metric's unit.
    pub base: Option<f64>,
    /// The same with the change.
    pub head: Option<f64>,
}

/// ln(head ÷ base) of each pair.
pub fn log_ratios(pairs: &[Pair]) -> Vec<f64> {
    pairs.iter().map(|pair| (pair.head / pair.base).ln()).collect()
}

impl Figures {
    /// The figures of these pairs, of which `found` is the test.
    pub fn from_pairs(pairs: &[Pair], found: Option<&SignedRank>) -> Self {
        let interval = found
            .map(|found| found.interval)
            .filter(|i| i.low.is_finite() && i.high.is_finite());
        let base = median(&pairs.iter().map(|pair| pair.base).collect::<Vec<_>>());
        Self {
            change: found.map(|found| found.estimate.exp_m1()),
            interval: interval.map(|i| Interval {
                low: i.low.exp_m1(),
                high: i.high.exp_m1(),
            }),
            p: found.map(|found| found.p),
            base,
            // Not the median of head: the machine moves both medians, and they could contradict the paired change.
            head: base.zip(found).map(|(base, found)| base * found.estimate.exp()),
        }
    }

    /// The figures that a series states.
    pub fn from_series(series: &Series) -> Self {
        Self {
            change: series.change,
            interval: series.interval,
            p: series.p,
            base: series.base,
            head: series.head,
        }
    }

    /// Whether both say the same.
    pub fn agree(&self, other: &Self) -> bool {
        let all = |figures: &Self| {
            let interval = figures.interval;
            [
                figures.change,
                interval.map(|i| i.low),
                interval.map(|i| i.high),
                figures.p,
                figures.base,
                figures.head,
            ]
        };
        let same = |(one, other): (Option<f64>, Option<f64>)| match (one, other) {
            (Some(one), Some(other)) => (one - other).abs() <= TOLERANCE * (1.0 + one.abs()),
            (one, other) => one.is_none() && other.is_none(),
        };
        all(self).into_iter().zip(all(other)).all(same)
    }
}

/// The test of these pairs; `None` if there are none.
pub fn test(pairs: &[Pair]) -> Option<SignedRank> {
    signed_rank::test(&log_ratios(pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_from_pairs_and_another_one_does_not_agree() {
        let pairs: Vec<Pair> = (0..13)
            .map(|n| Pair {
                base: 100.0 + f64::from(n),
                head: (100.0 + f64::from(n)) * 1.05,
            })
            .collect();
        let figures = Figures::from_pairs(&pairs, test(&pairs).as_ref());
        assert!((figures.change.unwrap() - 0.05).abs() < 1e-12 && figures.base == Some(106.0));
        assert!((figures.head.unwrap() - 111.3).abs() < 1e-9);
        assert!(figures.agree(&figures));
        let changes: [fn(&mut Figures); 4] = [
            |figures| figures.change = Some(0.06),
            |figures| figures.interval = None,
            |figures| figures.p = Some(0.01),
            |figures| figures.head = Some(f64::NAN),
        ];
        for change in changes {
            let mut other = figures.clone();
            change(&mut other);
            assert!(!figures.agree(&other), "{other:?}");
        }
        let none = Figures::from_pairs(&[], None);
        assert!(none.agree(&none) && !none.agree(&figures));
    }
}
