//! Comparing two revisions: which apps a change touches, whether it makes them slower, and how sure that is.
//!
//! [`changes`] finds the apps, [`sides`] checks both revisions out, [`slices`] and [`instructions`] measure
//! pairs of base and head, [`decide`] judges them with [`signed_rank`] by the rules of [`gates`], [`campaign`] goes on until
//! every series is decided, and [`outcome`] is what comes of it, with the [`figures`] of its pairs. [`rehearsal`] replays the pairs of a [`recording`] to say how
//! often all of this is wrong.

pub mod campaign;
pub mod changes;
pub mod decide;
pub mod figures;
pub mod gates;
pub mod instructions;
pub mod outcome;
pub mod recording;
pub mod rehearsal;
pub mod sides;
pub mod signed_rank;
pub mod slices;
