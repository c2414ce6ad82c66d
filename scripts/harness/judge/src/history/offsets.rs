//! How a server's figures on a new runner are put on the scale of the runner before.
//!
//! Of the pairs of runs that both runners made of the same, the mean difference is the offset. A figure also depends on the cpu model, so a pair
//! counts if both runs had the same one, or if both models are known from the runner before. Where the new runner is another machine,
//! its model is new in every pair: the offset is then that of runner and model together. Where there is no pair, nothing is
//! known of the offset, and the series begins again.

use super::divisive::inflation;
use super::joint_error::JointError;
use super::runners::{Pair, Succession};

/// Fewest runs on a cpu model by which its effect on a server is known.
const KNOWN: usize = 3;
/// Fewest differences of pairs, beyond the means, from which it is estimated how far they scatter.
const FEWEST: usize = 10;

/// How one server's figures go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Offset {
    /// The runner that follows.
    pub runner: usize,
    /// The one that it follows on.
    pub before: usize,
    /// The pairs that count.
    pub pairs: Vec<Pair>,
    /// The cpu model whose effect is part of the offset.
    pub replaced: Option<usize>,
    /// Variance of the mean difference of the pairs ÷ that of a value, where weeks are independent.
    variance: f64,
}

impl Offset {
    /// The offset of a server with these figures.
    pub fn new(row: &[Option<f64>], succession: &Succession, machines: &[usize], runners: &[usize]) -> Self {
        let both = |pair: &Pair| row[pair.before].is_some() && row[pair.after].is_some();
        let measured: Vec<Pair> = succession.pairs.iter().copied().filter(both).collect();
        let runs_before = |machine: usize| {
            let runs = row.iter().zip(machines).zip(runners);
            runs.filter(|((figure, on), runner)| figure.is_some() && **on == machine && **runner != succession.runner)
                .count()
        };
        let models = |pair: &Pair| [machines[pair.before], machines[pair.after]];
        let is_known = |pair: &Pair| {
            let [before, after] = models(pair);
            before == after || [before, after].into_iter().all(|model| runs_before(model) >= KNOWN)
        };
        let known: Vec<Pair> = measured.iter().copied().filter(is_known).collect();
        let model = measured.first().map(|pair| machines[pair.after]);
        let is_new = |model: &usize| {
            let same = measured.iter().all(|pair| machines[pair.after] == *model);
            same && runs_before(*model) == 0
        };
        let replaced = model.filter(|model| known.is_empty() && is_new(model));
        let pairs = if replaced.is_some() { measured } else { known };
        let of_models = |pair: &Pair| {
            let [before, after] = models(pair).map(|model| 1.0 / runs_before(model).max(1) as f64);
            let is_same = machines[pair.before] == machines[pair.after];
            if is_same || replaced.is_some() {
                0.0
            } else {
                before + after
            }
        };
        let sum: f64 = pairs.iter().map(|pair| 2.0 + of_models(pair)).sum();
        Self {
            runner: succession.runner,
            before: succession.before,
            variance: sum / (pairs.len() as f64).powi(2),
            replaced,
            pairs,
        }
    }

    /// Whether nothing is known of it.
    pub fn is_unknown(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Variance of the offset ÷ that of a value, where neighbouring weeks are correlated by `rho` and the differences of pairs scatter
    /// `scatter` times as much as values do.
    pub fn variance(&self, rho: f64, scatter: f64) -> f64 {
        if self.is_unknown() {
            return f64::INFINITY;
        }
        self.variance * inflation(self.pairs.len(), rho) * scatter
    }
}

/// For each runner, the one whose cpu models it shares: the effect of a model is estimated from all their runs.
pub fn groups(offsets: &[Offset]) -> Vec<usize> {
    let mut groups = vec![0];
    for offset in offsets {
        let is_apart = offset.is_unknown() || offset.replaced.is_some();
        groups.push(if is_apart { offset.runner } else { groups[offset.before] });
    }
    groups
}

/// The joints of a server whose values were measured on these runners, in the order of its values. Joints that part the values in
/// the same way are one, as where nothing was measured between them.
pub fn joint_errors(offsets: &[Offset], of_values: &[usize], rho: f64, scatter: &[f64]) -> Vec<JointError> {
    let mut joints: Vec<JointError> = Vec::new();
    for (offset, scatter) in offsets.iter().zip(scatter) {
        let is_beyond = |runner: &usize| {
            let mut on = *runner;
            while on > offset.runner {
                on = offsets[on - 1].before;
            }
            on == offset.runner
        };
        let joint = JointError {
            beyond: of_values.iter().map(is_beyond).collect(),
            variance: offset.variance(rho, *scatter),
        };
        match joints.iter_mut().find(|known| known.beyond == joint.beyond) {
            Some(known) => known.variance += joint.variance,
            None if joint.parts(0..of_values.len()) => joints.push(joint),
            None => {}
        }
    }
    joints
}

/// How far the differences of the pairs scatter about the mean of their server, ÷ what the values about their levels let expect;
/// 1 or more. `differences` and the variance of a value, of each server.
pub fn scatter<'a>(servers: impl Iterator<Item = (&'a [f64], f64)>) -> f64 {
    let (mut found, mut expected, mut freedom) = (0.0, 0.0, 0);
    for (differences, variance) in servers.filter(|(differences, _)| differences.len() > 1) {
        let mean = differences.iter().sum::<f64>() / differences.len() as f64;
        found += differences.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
        expected += 2.0 * variance * (differences.len() - 1) as f64;
        freedom += differences.len() - 1;
    }
    if freedom < FEWEST || expected == 0.0 {
        return 1.0;
    }
    (found / expected).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two runs on each of two runners, of which the first `pairs` are pairs; the models of the runs.
    fn offset(pairs: usize, machines: [usize; 8]) -> Offset {
        let of = |number| Pair {
            before: 3 + number,
            after: 5 + number,
        };
        let succession = Succession {
            runner: 1,
            before: 0,
            pairs: (0..pairs).map(of).collect(),
        };
        let runners = [0, 0, 0, 0, 0, 1, 1, 1];
        Offset::new(&[Some(1.0); 8], &succession, &machines, &runners)
    }

    #[test]
    fn the_variance_of_an_offset_is_that_of_a_mean_of_differences() {
        let variance = |pairs, machines| offset(pairs, machines).variance(0.0, 1.0);
        assert!((variance(1, [0; 8]) - 2.0).abs() < 1e-12);
        assert!((variance(2, [0; 8]) - 1.0).abs() < 1e-12);
        assert!(variance(0, [0; 8]).is_infinite());
        assert!((offset(2, [0; 8]).variance(0.0, 1.5) - 1.5).abs() < 1e-12);
        // Of the second pair, the new run is on a model with three runs before, the old one on another with two: it does not count.
        assert!((variance(2, [0, 0, 0, 1, 1, 1, 0, 0]) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_model_that_is_new_in_every_pair_is_part_of_the_offset() {
        let other = offset(2, [0, 0, 0, 0, 0, 2, 2, 2]);
        assert_eq!((other.replaced, other.pairs.len()), (Some(2), 2));
        assert_eq!(groups(&[other]), [0, 1]);
        // Two new models: what either is worth by itself is not known.
        let two = offset(2, [0, 0, 0, 0, 0, 2, 3, 3]);
        assert!(two.is_unknown() && two.replaced.is_none());
        assert_eq!(groups(&[offset(2, [0; 8])]), [0, 0]);
    }

    #[test]
    fn joints_with_nothing_between_are_one() {
        let one = offset(2, [0; 8]);
        let other = Offset {
            runner: 2,
            before: 1,
            ..one.clone()
        };
        let offsets = [one, other];
        let both = joint_errors(&offsets, &[0, 0, 2, 2], 0.0, &[1.0, 1.0]);
        let [joint] = both.as_slice() else { panic!("{both:?}") };
        assert!((joint.variance - 2.0).abs() < 1e-12, "{joint:?}");
        assert_eq!(joint.beyond, [false, false, true, true]);
        assert_eq!(joint_errors(&offsets, &[0, 1, 2], 0.0, &[1.0, 1.0]).len(), 2);
        assert_eq!(joint_errors(&offsets, &[0, 0], 0.0, &[1.0, 1.0]), []);
    }

    #[test]
    fn pairs_that_scatter_more_than_values_say_so() {
        // Their variance is 2, which is that of a difference of two values of variance 1.
        const DIFFERENCES: &[f64] = &[0.0, 2.0];
        let servers = |variance| (0..12).map(move |_| (DIFFERENCES, variance));
        assert!((scatter(servers(1.0)) - 1.0).abs() < 1e-12);
        assert!((scatter(servers(0.5)) - 2.0).abs() < 1e-12);
        assert!((scatter(servers(5.0)) - 1.0).abs() < 1e-12, "never less");
        assert!((scatter(servers(0.5).take(9)) - 1.0).abs() < 1e-12, "too few to say");
    }
}
