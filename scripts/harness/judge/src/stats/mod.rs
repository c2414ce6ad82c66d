//! What a handful of trials says: levels of servers in a round, medians and their intervals, apps against each other, ranks.
//!
//! Nothing here knows what it counts, so that it can be proven by simulation and by known answers.

mod binomial;
mod field;
mod median;
mod polish;
pub mod random;
mod ranks;
mod ratio;
#[cfg(test)]
mod simulate;

pub use binomial::upper_bound;
pub use field::Field;
pub use median::{Estimate, MIN_FOR_INTERVAL, estimate, mean, median};
pub use polish::polish;
pub use ranks::Pairs;
pub use ratio::paired_ratio;
