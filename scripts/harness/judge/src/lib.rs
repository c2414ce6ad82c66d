//! What the figures say: pure functions over records.
//!
//! Whom it may know: `record`. Nothing here looks at a clock or starts a process, so every judgement can be made again on any
//! old result. [`analysis`] sums a run up and ranks it, [`compare`] decides whether a change made an app
//! slower, [`history`] finds what moved in a lane, [`cross_check`] and [`variations`] set figures side by side,
//! [`since`] says what differs between two runs, and [`stats`] holds what all of them stand on. [`reading`] opens records of
//! any age.

pub mod analysis;
pub mod compare;
pub mod cross_check;
pub mod history;
mod old_columns;
pub mod reading;
pub mod rounding;
pub mod sample;
pub mod since;
pub mod stats;
pub mod variations;
