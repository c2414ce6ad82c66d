//! Statistics of a handful of trials: levels of servers in a round, medians and their intervals, comparisons of apps, ranks.
//!
//! Nothing here depends on what is measured, so it can be tested by simulation and with known answers.

mod binomial;
mod field;
mod interval;
mod median;
mod polish;
pub mod random;
pub mod rank_sum;
mod ranks;
mod ratio;
mod repeats;
pub mod scale;
pub mod segments;
pub mod signed_rank;
mod state;

pub use binomial::upper_bound;
pub use field::{Difference, Field};
pub use interval::Interval;
pub use median::{Estimate, MIN_FOR_INTERVAL, estimate, mean, median};
pub use polish::polish;
pub use ranks::{Pairs, Rank, holm};
pub use ratio::paired_ratio;
pub use repeats::Repeats;
pub use signed_rank::Shift;
pub use state::SubRounds;
