//! Who has its turn when: drawn from the comparison's seed for each app and scenario, so that what an order costs is in the spread of the
//! pairs and in the mean of no comparison, and balanced, so that nobody is first more often.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// The turns in the pairs of one app, whose numbers count from 0.
#[derive(Debug)]
pub struct Schedule(ChaCha8Rng);

/// What is drawn, each independently of the others.
#[derive(Debug, Clone, Copy)]
enum Draw {
    First,
    Base,
    Head,
    Slices,
}

impl Schedule {
    /// By the comparison's `seed`, for one app in a variant under what `drives` it: a scenario, or the count of instructions.
    pub fn new(seed: u32, app: &str, variant: &str, drives: &str) -> Self {
        let digest = Sha256::digest(format!("{seed}\n{app}\n{variant}\n{drives}"));
        Self(ChaCha8Rng::from_seed(digest.into()))
    }

    /// Whether head has its turn before base: in one of every two pairs.
    pub fn is_head_first(&self, pair: u32) -> bool {
        self.turn(Draw::First, pair, 2) == 1
    }

    /// Which of so many orders of sections base and head have: each of them in one of as many pairs.
    pub fn layouts(&self, pair: u32, of: usize) -> [usize; 2] {
        [Draw::Base, Draw::Head].map(|side| self.turn(side, pair, of))
    }

    /// What the order of the slices of a pair is drawn from, and the contract's input.
    pub fn slices(&self, pair: u32) -> ChaCha8Rng {
        self.stream(Draw::Slices, pair)
    }

    /// Which of so many has its turn: each once in a block of as many pairs, in an order drawn for each block.
    fn turn(&self, what: Draw, pair: u32, of: usize) -> usize {
        let block = u32::try_from(of.max(1)).unwrap_or(u32::MAX);
        let mut order: Vec<usize> = (0..of.max(1)).collect();
        order.shuffle(&mut self.stream(what, pair / block));
        order[(pair % block) as usize]
    }

    fn stream(&self, what: Draw, number: u32) -> ChaCha8Rng {
        let mut rng = self.0.clone();
        rng.set_stream(u64::from(number) << 32 | what as u64);
        rng
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::Rng as _;

    use super::*;

    const PAIRS: u32 = 42;
    const ORDERS: usize = 3;

    /// Starts, layouts and slices of all pairs.
    fn drawn(schedule: &Schedule) -> (Vec<bool>, Vec<[usize; 2]>, Vec<u64>) {
        let pairs = || 0..PAIRS;
        (
            pairs().map(|pair| schedule.is_head_first(pair)).collect(),
            pairs().map(|pair| schedule.layouts(pair, ORDERS)).collect(),
            pairs().map(|pair| schedule.slices(pair).next_u64()).collect(),
        )
    }

    #[test]
    fn a_seed_draws_a_schedule_of_its_own_for_each_app_and_scenario_and_repeats_it() {
        let usual = [7, 8].map(|seed| drawn(&Schedule::new(seed, "axum", "default", "hello")));
        let others = [
            ("viz", "default", "hello"),
            ("axum", "tuned", "hello"),
            ("axum", "default", "simple"),
        ];
        let others = others.map(|(app, variant, scenario)| drawn(&Schedule::new(7, app, variant, scenario)));
        let all: Vec<_> = usual.iter().chain(&others).collect();
        for (at, one) in all.iter().enumerate() {
            for other in &all[..at] {
                let differ = one.0 != other.0 && one.1 != other.1 && one.2 != other.2;
                assert!(differ, "{one:?} {other:?}");
            }
        }
        assert_eq!(drawn(&Schedule::new(7, "axum", "default", "hello")), usual[0]);
    }

    #[test]
    fn each_side_is_first_equally_often_and_each_goes_through_all_orders_of_sections() {
        let mut equal = 0;
        for seed in 0..100 {
            let (starts, layouts, _) = drawn(&Schedule::new(seed, "axum", "default", "hello"));
            for look in starts.chunks(14) {
                assert_eq!(look.iter().filter(|head_first| **head_first).count(), 7);
            }
            for block in layouts.chunks(ORDERS) {
                for side in [0, 1] {
                    let seen: BTreeSet<usize> = block.iter().map(|pair| pair[side]).collect();
                    assert_eq!(seen.len(), ORDERS);
                }
            }
            equal += layouts.iter().filter(|[base, head]| base == head).count();
        }
        // Independently: one in three.
        assert!((1_250..1_550).contains(&equal), "{equal} of 4200");
        assert_eq!(Schedule::new(1, "axum", "default", "hello").layouts(7, 1), [0, 0]);
    }

    #[test]
    fn whatever_the_pair_each_side_is_first_under_half_of_the_seeds() {
        for pair in 0..14 {
            let is_head_first = |seed: &u32| Schedule::new(*seed, "axum", "default", "hello").is_head_first(pair);
            let head = (0..400).filter(is_head_first).count();
            assert!((150..250).contains(&head), "pair {pair}: {head} of 400");
        }
    }
}
