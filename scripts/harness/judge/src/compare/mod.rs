//! Whether base and head of a change differ, and how certain that is.
//!
//! [`decide`] judges pairs of base and head with [`signed_rank`] by the rules of [`gates`]; [`outcome`] is the result, with
//! the [`figures`] of its pairs, and with what [`probing`] both sides has shown. A comparison can be divided among machines
//! ([`sharding`]), whose results are [merged](merge). [`rehearsal`] replays the pairs of a [`recording`] to measure how often all
//! of this is wrong.

pub mod decide;
pub mod figures;
pub mod gates;
pub mod merge;
pub mod outcome;
pub mod probing;
pub mod recording;
pub mod rehearsal;
pub mod sharding;
pub mod signed_rank;
