//! From pairs to decisions: after how many pairs the data are looked at, and what a look decides.
//!
//! The comparison is group-sequential: each series is looked at [`LOOKS`] times at most by which a change can be named, which divides the
//! probability of a false alarm equally (Bonferroni), and within a look among all series (S. Holm, Scandinavian Journal of
//! Statistics 6, 1979), also those that are looked at after other numbers of pairs: what is counted needs fewer than what is timed. So the
//! probability that a comparison without any change names anything stays below `false_alarms`, however many series there are and
//! whenever it ends. What pairs that are like the one before and the layout of the builds do to that: docs/compare.md.

use std::collections::BTreeSet;
use std::iter;

use super::gates::Gates;
use super::outcome::Decision;
use model::Metric;
use stats::{Shift, rank_sum, signed_rank};

/// How often a series is looked at by which a change can be named.
pub const LOOKS: usize = 4;
/// Most pairs of a series: half an hour for each variant that is compared, and more than the last look of any comparison needs.
pub const MOST_PAIRS: u32 = 100;
/// By how much the number of pairs grows from look to look.
const GROWTH: f64 = 1.5;
/// Fewest pairs of the first look, even with few series: fewer do not show how the pairs spread.
const FEWEST: u32 = 7;
/// Earlier looks at what is counted: so few pairs name nothing, and so spend nothing, but most of what has not changed needs no more.
const EARLY: [u32; 3] = [2, 3, 5];

/// One series, as far as it has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Its metric.
    pub metric: Metric,
    /// ln(base) and ln(head) of each pair.
    pub pairs: Vec<[f64; 2]>,
    /// Whether it can be judged at all.
    pub judged: bool,
    /// What an earlier look decided.
    pub decided: Option<Decision>,
    /// How many pairs it had at its last look.
    pub looked: usize,
}

impl Progress {
    /// A series without any pair.
    pub fn new(metric: Metric) -> Self {
        Self {
            metric,
            pairs: Vec::new(),
            judged: true,
            decided: None,
            looked: 0,
        }
    }

    /// Whether it needs more pairs.
    pub fn is_open(&self) -> bool {
        self.judged && self.decided.is_none()
    }

    /// The test of its pairs so far.
    pub fn test(&self, gates: &Gates) -> Option<Shift> {
        if gates.counted.contains(&self.metric) {
            return rank_sum::test(&self.pairs);
        }
        let log_ratios: Vec<f64> = self.pairs.iter().map(|[base, head]| head - base).collect();
        signed_rank::test(&log_ratios)
    }
}

/// Numbers of pairs at which a series of this metric is looked at, in a comparison of `series` series, or `fixed` alone.
///
/// The first that can name a change is the smallest at which one could be named at all: with fewer pairs no p-value is small enough.
pub fn looks(metric: Metric, series: usize, gates: &Gates, fixed: Option<u32>) -> Vec<u32> {
    if let Some(pairs) = fixed {
        return vec![pairs];
    }
    let needed = gates.false_alarms / LOOKS as f64 / series.max(1) as f64;
    let is_counted = gates.counted.contains(&metric);
    let (early, fewest, smallest_p): (&[u32], _, fn(u32) -> f64) = if is_counted {
        (&EARLY, EARLY[2] + 1, rank_sum::smallest_p)
    } else {
        (&[], FEWEST, signed_rank::smallest_p)
    };
    let first = (fewest..MOST_PAIRS).find(|pairs| smallest_p(*pairs) <= needed);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few dozen
    let grown = |look: &u32| Some((f64::from(*look) * GROWTH).ceil() as u32);
    let naming = iter::successors(Some(first.unwrap_or(MOST_PAIRS)), grown).take(LOOKS);
    early.iter().copied().chain(naming).collect()
}

/// The numbers of pairs at which any series is looked at, of a comparison with these metrics.
pub fn all_looks(metrics: impl Iterator<Item = Metric>, gates: &Gates, fixed: Option<u32>) -> Vec<u32> {
    let metrics: Vec<Metric> = metrics.collect();
    let each = metrics
        .iter()
        .flat_map(|metric| looks(*metric, metrics.len(), gates, fixed));
    each.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Looks at the series that `is_due` names, and decides those that can be decided.
///
/// A change is named where Holm's procedure rejects "the difference is zero" and the estimate reaches the minimum effect;
/// that the true change reaches it is not tested, for by such a test a change of just that size would never be found. It is no change where the interval lies within the minimum effect on both
/// sides. All other series stay open.
fn look(series: &mut [Progress], gates: &Gates, is_due: impl Fn(&Progress) -> bool) {
    let mut open: Vec<(usize, Shift)> = series
        .iter()
        .enumerate()
        .filter(|(_, series)| series.is_open() && is_due(series))
        .filter_map(|(index, series)| Some((index, series.test(gates)?)))
        .collect();
    open.sort_by(|a, b| a.1.p.total_cmp(&b.1.p));
    // Series that were found unchanged still count: they could have been named. So do those that are looked at another time.
    let mut sharing = series
        .iter()
        .filter(|series| series.judged && !series.decided.is_some_and(Decision::names_a_change))
        .count();
    let level = gates.false_alarms / LOOKS as f64;
    let mut rejecting = true;
    for (index, found) in open {
        let metric = series[index].metric;
        let minimum = gates.minimum_effect[&metric];
        series[index].looked = series[index].pairs.len();
        rejecting = rejecting && found.p <= level / sharing as f64;
        if rejecting && found.estimate.abs() >= effect(minimum, found.estimate) {
            let better = (found.estimate > 0.0) == metric.more_is_better();
            series[index].decided = Some(if better {
                Decision::Improvement
            } else {
                Decision::Regression
            });
        } else if found.interval.low > -effect(minimum, -1.0) && found.interval.high < effect(minimum, 1.0) {
            series[index].decided = Some(Decision::NoChange);
        }
        sharing = sharing.saturating_sub(1).max(1);
    }
}

/// Looks at series as often as they need, or once after `fixed` pairs. `measure` brings those that are open to a number of pairs, or as far as
/// there are any.
pub fn sequentially(
    all: &mut [Progress],
    gates: &Gates,
    fixed: Option<u32>,
    mut measure: impl FnMut(&mut [Progress], usize),
) {
    let series = all.len();
    for pairs in all_looks(all.iter().map(|one| one.metric), gates, fixed) {
        measure(all, pairs as usize);
        let is_due = |one: &Progress| looks(one.metric, series, gates, fixed).contains(&pairs);
        if (all.iter()).any(|one| one.is_open() && one.pairs.len() > one.looked && is_due(one)) {
            look(all, gates, is_due);
        }
    }
}

/// What the looks at these series decide: `all` are series without any decision, with all their pairs.
pub fn replay(all: &mut [Progress], gates: &Gates, fixed: Option<u32>) {
    let pairs: Vec<Vec<[f64; 2]>> = all.iter_mut().map(|one| std::mem::take(&mut one.pairs)).collect();
    sequentially(all, gates, fixed, |all, made| {
        for (series, pairs) in all.iter_mut().zip(&pairs).filter(|(series, _)| series.is_open()) {
            series.pairs = pairs[..pairs.len().min(made)].to_vec();
        }
    });
}

/// The minimum effect on the log scale, on the side of `sign`: +2 % and −2 % are not equally far from zero there.
fn effect(minimum: f64, sign: f64) -> f64 {
    (1.0 + minimum.copysign(sign)).ln().abs()
}

#[cfg(test)]
mod tests;
