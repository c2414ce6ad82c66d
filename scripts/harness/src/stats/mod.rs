//! What a handful of trials says: medians, their intervals, paired ratios, rank tiers.
//!
//! Nothing here knows what it counts, so that it can be proven by simulation and by known answers.

mod binomial;
mod median;
pub mod random;
mod ratio;
#[cfg(test)]
mod simulate;
mod tiers;

pub use binomial::upper_bound;
pub use median::{Estimate, MIN_FOR_INTERVAL, estimate, median};
pub use ratio::paired_ratio;
pub use tiers::{Ranked, tiers};
