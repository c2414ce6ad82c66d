//! Whether base and head of a change differ, and how certain that is.
//!
//! [`outcome`] is the result: pairs of base and head, and what follows from them. [`decide`] judges pairs by [`stats::signed_rank`] and [`stats::rank_sum`] and the
//! rules of [`gates`]; [`probing`] is what the cases showed on both sides, [`explanation`] where instructions went. [`self_test`] replays
//! comparisons of a program with itself to measure how often all of this is wrong.

pub mod decide;
pub mod explanation;
pub mod gates;
pub mod inlining;
pub mod outcome;
pub mod probing;
pub mod self_test;
