//! The state of the machine in each sub-round of a session, and the levels of the servers in a good one.
//!
//! A neighbour on the host slows all servers, and those that touch more memory more than the others, so ratios of servers move with it
//! from one session to the next. No counter of the machine shows it, but all servers of a sub-round do. A sub-round counts if its state,
//! the mean over the servers of the logarithm of CPU time above each one's median, is within 5 % of the session's best, or among the
//! better half. A pair of servers is compared by the state that the others show, lest a noisy server choose the sub-rounds in
//! which it was lucky. What that does to the agreement of sessions: docs/rounds.md.

use crate::median::median;
use crate::polish::polish_where;

/// How far above the session's best a state is still good, in logarithms.
const GOOD: f64 = 0.05;
/// Share of the sub-rounds that are better than what counts as the session's best.
const BEST: f64 = 0.05;
/// Fewest servers that show the state. With fewer besides a pair, all sub-rounds count for it.
const WITNESSES: usize = 2;

/// The sub-rounds of one scenario in one session.
#[derive(Debug)]
pub struct SubRounds {
    /// A row for each server: how far each slice is above the server's median.
    above: Vec<Vec<Option<f64>>>,
    /// Over all servers of a sub-round.
    sums: Vec<f64>,
    counts: Vec<usize>,
    is_good: Vec<bool>,
    states: Vec<Option<f64>>,
}

impl SubRounds {
    /// From a row for each server with a column for each sub-round of the whole session: the natural logarithm of the server's CPU time
    /// per request, finite, or `None`. `None` if there are too few servers to show a state.
    pub fn new(values: &[Vec<Option<f64>>]) -> Option<Self> {
        let above: Vec<Vec<Option<f64>>> = values
            .iter()
            .map(|row| {
                let middle = median(&row.iter().flatten().copied().collect::<Vec<_>>()).unwrap_or_default();
                row.iter().map(|value| value.map(|value| value - middle)).collect()
            })
            .collect();
        let servers = above.iter().filter(|row| row.iter().any(Option::is_some)).count();
        if servers < WITNESSES + 2 {
            return None;
        }
        let columns = above.iter().map(Vec::len).max().unwrap_or_default();
        let shown = |column: usize| above.iter().filter_map(move |row| *row.get(column)?);
        let sums: Vec<f64> = (0..columns).map(|column| shown(column).sum()).collect();
        let counts: Vec<usize> = (0..columns).map(|column| shown(column).count()).collect();
        let state = |(sum, count): (&f64, &usize)| (*count >= WITNESSES).then(|| sum / *count as f64);
        let states: Vec<Option<f64>> = sums.iter().zip(&counts).map(state).collect();
        let is_good = good(&states);
        Some(Self {
            above,
            sums,
            counts,
            is_good,
            states,
        })
    }

    /// Whether the sub-round counts, from 0 in the whole session.
    pub fn is_good(&self, sub_round: usize) -> bool {
        self.is_good.get(sub_round).copied().unwrap_or_default()
    }

    /// CPU time in the sub-rounds that count ÷ that in the session's best, a mean over these sub-rounds; `None` without any.
    pub fn slowness(&self) -> Option<f64> {
        let best = best(&self.states)?;
        let states = self.states.iter().zip(&self.is_good);
        let counted: Vec<f64> = states
            .filter_map(|(state, is_good)| (*state).filter(|_| *is_good))
            .collect();
        Some((crate::mean(&counted)? - best).exp())
    }

    /// The log level of each server in a round whose first sub-round is `first` in the session, as [`crate::polish`].
    pub fn levels(&self, first: usize, values: &[Vec<Option<f64>>]) -> Vec<Option<f64>> {
        let servers = values.len();
        // Of each pair once, as they are compared: the first with all that follow it.
        let with_others = |one: usize| (one + 1..servers).map(|other| self.good_for(one, other)).collect();
        let of_pairs: Vec<Vec<Vec<bool>>> = (0..servers).map(with_others).collect();
        let counts =
            |one: usize, other: usize, at: usize| of_pairs[one][other - one - 1].get(first + at) == Some(&true);
        polish_where(values, counts, |at| self.is_good(first + at))
    }

    /// The sub-rounds in which two servers are compared, by the state that the others show.
    fn good_for(&self, one: usize, other: usize) -> Vec<bool> {
        let others = |column: usize| {
            let own: Vec<f64> = [one, other]
                .iter()
                .filter_map(|server| *self.above[*server].get(column)?)
                .collect();
            let count = self.counts[column] - own.len();
            (count >= WITNESSES).then(|| (self.sums[column] - own.iter().sum::<f64>()) / count as f64)
        };
        good(&(0..self.sums.len()).map(others).collect::<Vec<_>>())
    }
}

/// Which states are near the best, or in the better half.
fn good(states: &[Option<f64>]) -> Vec<bool> {
    let Some(best) = best(states) else {
        return vec![true; states.len()];
    };
    let middle = median(&states.iter().flatten().copied().collect::<Vec<_>>()).unwrap_or(best);
    let limit = middle.max(best + GOOD);
    states
        .iter()
        .map(|state| state.is_some_and(|state| state <= limit))
        .collect()
}

/// The state that [`BEST`] of the sub-rounds are better than.
fn best(states: &[Option<f64>]) -> Option<f64> {
    let mut sorted: Vec<f64> = states.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of a few hundred
    let at = (BEST * sorted.len() as f64) as usize;
    sorted.get(at).copied()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::polish;
    use crate::random::{normal, uniform};

    /// Six servers of levels 0, 0.1 …; in a bad state all are slower by 0.3, and the last by half as much again.
    fn session(rng: &mut ChaCha8Rng, bad: f64, noise: f64) -> Vec<Vec<Option<f64>>> {
        let states: Vec<f64> = (0..96).map(|_| if uniform(rng) < bad { 0.3 } else { 0.0 }).collect();
        let touches = |server: usize| if server == 5 { 1.5 } else { 1.0 };
        let slice = |server: usize, state: f64, noise: f64| Some(0.1 * server as f64 + touches(server) * state + noise);
        let mut row = |server| {
            let slices = states.iter().map(|state| slice(server, *state, noise * normal(rng)));
            slices.collect()
        };
        (0..6).map(&mut row).collect()
    }

    fn above_reference(levels: &[Option<f64>]) -> f64 {
        levels[5].unwrap() - levels[0].unwrap()
    }

    #[test]
    fn a_session_in_two_states_gives_the_ratio_of_the_good_one() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for bad in [0.0, 0.3, 0.6] {
            let values = session(&mut rng, bad, 0.01);
            let chosen = SubRounds::new(&values).unwrap();
            let found = above_reference(&chosen.levels(0, &values));
            assert!(
                (found - 0.5).abs() < if bad > 0.5 { 0.03 } else { 0.01 },
                "{bad}: {found}"
            );
            assert!(bad < 0.2 || above_reference(&polish(&values)) - 0.5 > 0.02 * bad);
        }
    }

    #[test]
    fn how_slow_the_counted_sub_rounds_were_is_known() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let slowness = |bad| {
            let values = session(&mut ChaCha8Rng::seed_from_u64(8), bad, 0.01);
            SubRounds::new(&values).unwrap().slowness().unwrap()
        };
        assert!((1.0..1.03).contains(&slowness(0.3)) && slowness(0.9) > 1.2);
        let values = session(&mut rng, 0.3, 0.0);
        let chosen = SubRounds::new(&values).unwrap();
        let good = (0..96).filter(|at| chosen.is_good(*at)).count();
        assert_eq!(good, values[0].iter().filter(|value| **value == Some(0.0)).count());
    }

    /// A server with four times the others' noise does not gain by it.
    #[test]
    fn noise_chooses_no_sub_rounds() {
        let mut rng = ChaCha8Rng::seed_from_u64(13);
        let off: Vec<f64> = (0..300)
            .map(|_| {
                let mut values = session(&mut rng, 0.0, 0.05);
                for value in values[5].iter_mut().flatten() {
                    *value += 0.2 * normal(&mut rng);
                }
                above_reference(&SubRounds::new(&values).unwrap().levels(0, &values)) - 0.5
            })
            .collect();
        assert!(crate::mean(&off).unwrap().abs() < 0.004, "{:?}", crate::mean(&off));
    }

    #[test]
    fn three_servers_tell_no_state_and_a_missing_slice_moves_none() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut values = session(&mut rng, 0.3, 0.0);
        assert!(SubRounds::new(&values[..3]).is_none());
        let before = SubRounds::new(&values).unwrap().is_good;
        values[5][7] = None;
        assert_eq!(SubRounds::new(&values).unwrap().is_good, before);
    }
}
