//! From pairs to decisions: after how many pairs the data are looked at, and what a look decides.
//!
//! The comparison is group-sequential: it looks at its data at most [`LOOKS`] times, and divides the probability of a false
//! alarm equally among the looks (Bonferroni), and within a look among all series (S. Holm, Scandinavian Journal of
//! Statistics 6, 1979). So the probability that a comparison without any change names anything stays below
//! `false_alarms`, however many series there are and whenever it ends. What pairs that are like the one before and the layout of the
//! builds do to that: docs/compare.md.

use super::gates::{Gate, Gates};
use super::outcome::Decision;
use super::signed_rank;
use super::signed_rank::SignedRank;
use model::Metric;

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

/// Numbers of pairs at which the data are looked at, for a comparison of `series` series.
///
/// The first is the smallest at which a change could be named at all: with fewer pairs no p-value is small enough.
pub fn looks(series: usize, gates: &Gates) -> [u32; LOOKS] {
    let needed = gates.false_alarms / LOOKS as f64 / series.max(1) as f64;
    let mut first = FEWEST;
    while first < MOST_PAIRS && signed_rank::smallest_p(first) > needed {
        first += 1;
    }
    let mut looks = [first; LOOKS];
    for look in 1..LOOKS {
        let grown = (f64::from(looks[look - 1]) * GROWTH).ceil();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few dozen
        let grown = grown as u32;
        looks[look] = grown;
    }
    looks
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
        let gate = gates.gate(series[index].metric);
        rejecting = rejecting && found.p <= level / sharing as f64;
        if rejecting && found.estimate.abs() >= effect(gate, found.estimate) {
            series[index].decided = Some(direction(gate, found.estimate));
        } else if is_within(gate, &found) {
            series[index].decided = Some(Decision::NoChange);
        }
        sharing = sharing.saturating_sub(1).max(1);
    }
}

/// What the looks at these series decide: `all` are series without any decision, with all their pairs. There are as many looks as the
/// series need, or one after `fixed` pairs.
pub fn replay(all: &mut [Progress], gates: &Gates, fixed: Option<u32>) {
    let looks = fixed.map_or_else(|| looks(all.len(), gates).to_vec(), |pairs| vec![pairs]);
    let pairs: Vec<Vec<f64>> = all
        .iter_mut()
        .map(|series| std::mem::take(&mut series.log_ratios))
        .collect();
    for made in looks {
        let mut more = false;
        for (series, pairs) in all.iter_mut().zip(&pairs).filter(|(series, _)| series.is_open()) {
            let made = pairs.len().min(made as usize);
            more |= made > series.log_ratios.len();
            series.log_ratios = pairs[..made].to_vec();
        }
        if !more {
            break;
        }
        look(all, gates);
    }
}

/// Whether the interval lies within the minimum effect on both sides.
fn is_within(gate: &Gate, found: &SignedRank) -> bool {
    found.interval.low > -effect(gate, -1.0) && found.interval.high < effect(gate, 1.0)
}

/// The minimum effect on the log scale, on the side of `sign`: +2 % and −2 % are not equally far from zero there.
fn effect(gate: &Gate, sign: f64) -> f64 {
    (1.0 + gate.minimum_effect.copysign(sign)).ln().abs()
}

fn direction(gate: &Gate, estimate: f64) -> Decision {
    if (estimate > 0.0) == gate.more_is_better {
        Decision::Improvement
    } else {
        Decision::Regression
    }
}

#[cfg(test)]
mod tests;
