//! Rank tiers: who can be told from whom.

use crate::record::Interval;

/// What is ranked: a median, and an interval that says how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Median.
    pub median: f64,
    /// Interval of the median.
    pub interval: Interval,
}

/// The tier of each entry, from 1 for the best, in the order of the entries.
///
/// The best entry opens a tier, and all whose intervals overlap with its interval share that tier; the best of the rest
/// opens the next. Compared is with the tier's first only: else a chain of small steps would put the best and the worst
/// into one tier.
pub fn tiers(entries: &[Ranked], more_is_better: bool) -> Vec<u32> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (entries[*a].median, entries[*b].median);
        if more_is_better {
            b.total_cmp(&a)
        } else {
            a.total_cmp(&b)
        }
    });
    let mut tiers = vec![0; entries.len()];
    let mut tier = 0;
    let mut first: Option<Interval> = None;
    for index in order {
        let interval = entries[index].interval;
        if !first.is_some_and(|first| overlap(first, interval)) {
            tier += 1;
            first = Some(interval);
        }
        tiers[index] = tier;
    }
    tiers
}

fn overlap(a: Interval, b: Interval) -> bool {
    a.low <= b.high && b.low <= a.high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(low: f64, median: f64, high: f64) -> Ranked {
        Ranked {
            median,
            interval: Interval { low, high },
        }
    }

    #[test]
    fn overlapping_entries_share_a_tier() {
        let entries = [
            entry(0.70, 0.80, 0.85),
            entry(0.95, 1.00, 1.10),
            entry(0.90, 0.96, 0.99),
        ];
        assert_eq!(tiers(&entries, true), [2, 1, 1]);
        assert_eq!(tiers(&entries, false), [1, 2, 2]);
    }

    #[test]
    fn a_chain_of_overlaps_does_not_join_first_and_last() {
        let entries = [entry(9.0, 10.0, 11.0), entry(7.5, 8.5, 9.5), entry(6.0, 7.0, 8.0)];
        assert_eq!(tiers(&entries, true), [1, 1, 2]);
    }

    #[test]
    fn touching_ends_overlap_and_nothing_is_nothing() {
        assert_eq!(tiers(&[entry(1.0, 1.5, 2.0), entry(2.0, 2.5, 3.0)], true), [1, 1]);
        assert!(tiers(&[], true).is_empty());
    }
}
