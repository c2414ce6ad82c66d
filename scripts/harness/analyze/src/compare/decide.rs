//! From pairs to decisions: after how many pairs the data are looked at, and what a look decides.
//!
//! The comparison is group-sequential: it looks at its data at most [`LOOKS`] times, and divides the probability of a false
//! alarm equally among the looks (Bonferroni), and within a look among all series (S. Holm, Scandinavian Journal of
//! Statistics 6, 1979). So the probability that a comparison without any change names anything stays below
//! `false_alarms`, however many series there are and whenever it ends. What pairs that are like the one before and the layout of the
//! builds do to that: docs/compare.md.

use std::iter;

use super::gates::Gates;
use super::outcome::Decision;
use model::Metric;
use stats::signed_rank;
use stats::signed_rank::SignedRank;

/// How often the data are looked at.
pub const LOOKS: usize = 4;
/// Most pairs of a series: half an hour for each variant that is compared, and more than the last look of any comparison needs.
pub const MOST_PAIRS: u32 = 100;
/// By how much the number of pairs grows from look to look.
const GROWTH: f64 = 1.5;
/// Fewest pairs of the first look, even with few series: fewer do not show how the pairs spread.
const FEWEST: u32 = 7;

/// One series, as far as it has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Its metric.
    pub metric: Metric,
    /// ln(head ÷ base) of each pair.
    pub log_ratios: Vec<f64>,
    /// Whether it can be judged at all.
    pub judged: bool,
    /// What an earlier look decided.
    pub decided: Option<Decision>,
}

impl Progress {
    /// A series without any pair.
    pub fn new(metric: Metric) -> Self {
        Self {
            metric,
            log_ratios: Vec::new(),
            judged: true,
            decided: None,
        }
    }

    /// Whether it needs more pairs.
    pub fn is_open(&self) -> bool {
        self.judged && self.decided.is_none()
    }

    /// The test of its pairs so far.
    pub fn test(&self) -> Option<SignedRank> {
        signed_rank::test(&self.log_ratios)
    }
}

/// Numbers of pairs at which the data are looked at, for a comparison of `series` series, or `fixed` alone.
///
/// The first is the smallest at which a change could be named at all: with fewer pairs no p-value is small enough.
pub fn looks(series: usize, gates: &Gates, fixed: Option<u32>) -> Vec<u32> {
    if let Some(pairs) = fixed {
        return vec![pairs];
    }
    let needed = gates.false_alarms / LOOKS as f64 / series.max(1) as f64;
    let first = (FEWEST..MOST_PAIRS).find(|pairs| signed_rank::smallest_p(*pairs) <= needed);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few dozen
    let grown = |look: &u32| Some((f64::from(*look) * GROWTH).ceil() as u32);
    iter::successors(Some(first.unwrap_or(MOST_PAIRS)), grown)
        .take(LOOKS)
        .collect()
}

/// Looks at all series, and decides those that can be decided.
///
/// A change is named where Holm's procedure rejects "the difference is zero" and the estimate reaches the minimum effect;
/// that the true change reaches it is not tested. It is no change where the interval lies within the minimum effect on both
/// sides. All other series stay open.
pub fn look(series: &mut [Progress], gates: &Gates) {
    let mut open: Vec<(usize, SignedRank)> = series
        .iter()
        .enumerate()
        .filter(|(_, series)| series.is_open())
        .filter_map(|(index, series)| Some((index, series.test()?)))
        .collect();
    open.sort_by(|a, b| a.1.p.total_cmp(&b.1.p));
    // Series that were found unchanged still count: they could have been named.
    let mut sharing = series
        .iter()
        .filter(|series| series.judged && !series.decided.is_some_and(Decision::names_a_change))
        .count();
    let level = gates.false_alarms / LOOKS as f64;
    let mut rejecting = true;
    for (index, found) in open {
        let metric = series[index].metric;
        let minimum = gates.minimum_effect[&metric];
        rejecting = rejecting && found.p <= level / sharing as f64;
        if rejecting && found.estimate.abs() >= effect(minimum, found.estimate) {
            let better = (found.estimate > 0.0) == metric.more_is_better();
            series[index].decided = Some(if better {
                Decision::Improvement
            } else {
                Decision::Regression
            });
        } else if is_within(minimum, &found) {
            series[index].decided = Some(Decision::NoChange);
        }
        sharing = sharing.saturating_sub(1).max(1);
    }
}

/// Looks at series as often as they need, or once after `fixed` pairs. `measure` brings those that are open to a number of pairs, and says
/// whether it added any.
pub fn sequentially(
    all: &mut [Progress],
    gates: &Gates,
    fixed: Option<u32>,
    mut measure: impl FnMut(&mut [Progress], usize) -> bool,
) {
    for pairs in looks(all.len(), gates, fixed) {
        if !measure(all, pairs as usize) {
            break;
        }
        look(all, gates);
    }
}

/// What the looks at these series decide: `all` are series without any decision, with all their pairs.
pub fn replay(all: &mut [Progress], gates: &Gates, fixed: Option<u32>) {
    let pairs: Vec<Vec<f64>> = all.iter_mut().map(|one| std::mem::take(&mut one.log_ratios)).collect();
    sequentially(all, gates, fixed, |all, made| {
        let mut more = false;
        for (series, pairs) in all.iter_mut().zip(&pairs).filter(|(series, _)| series.is_open()) {
            let made = pairs.len().min(made);
            more |= made > series.log_ratios.len();
            series.log_ratios = pairs[..made].to_vec();
        }
        more
    });
}

/// Whether the interval lies within the minimum effect on both sides.
fn is_within(minimum: f64, found: &SignedRank) -> bool {
    found.interval.low > -effect(minimum, -1.0) && found.interval.high < effect(minimum, 1.0)
}

/// The minimum effect on the log scale, on the side of `sign`: +2 % and −2 % are not equally far from zero there.
fn effect(minimum: f64, sign: f64) -> f64 {
    (1.0 + minimum.copysign(sign)).ln().abs()
}

#[cfg(test)]
mod tests;
