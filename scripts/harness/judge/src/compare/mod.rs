//! Whether base and head of a change differ, and how sure that is.
//!
//! [`decide`] judges pairs of base and head with [`signed_rank`] by the rules of [`gates`]; [`outcome`] is what comes of it, with
//! the [`figures`] of its pairs. [`rehearsal`] replays the pairs of a [`recording`] to say how often all of this is wrong.

pub mod decide;
pub mod figures;
pub mod gates;
pub mod outcome;
pub mod recording;
pub mod rehearsal;
pub mod signed_rank;
