//! What the figures say: pure functions over records.
//!
//! It depends on `model` and `stats` only. Nothing here reads a clock or starts a process, so every judgement can be repeated on any
//! old result. [`analysis`] summarises a run and ranks it, [`pair`] compares two apps of one,
//! [`compare`] decides whether a change made an app slower, [`history`] finds
//! what changed in a lane, [`cross_check`] and [`variations`] compare scenarios of one run, [`scaling`] says what more workers are
//! worth, [`probes`] says what breaks, [`releases`] what upgrades changed, [`plausibility`] whether a record is what was requested,
//! [`run_diff`] what differs between two runs, [`forecast`] and [`carried`] how earlier ones were right, [`caveats`] what is to be known of
//! one before its figures ([`mostly_failed`], [`disturbance`]); [`reading`] opens records.

pub mod analysis;
pub mod carried;
pub mod caveat;
pub mod caveats;
pub mod compare;
pub mod cross_check;
pub mod disturbance;
pub mod forecast;
pub mod history;
pub mod machine_state;
pub mod mostly_failed;
pub mod pair;
pub mod plausibility;
pub mod probes;
pub mod reading;
pub mod releases;
pub mod rounding;
pub mod run_diff;
pub mod scaling;
pub mod variations;
