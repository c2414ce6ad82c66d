//! Comparing two revisions: both sides are built, probed, and driven in turns until [`judge::compare`] has decided.

mod built;
pub mod campaign;
pub mod changes;
mod course;
pub mod instructions;
mod probing;
mod scenarios;
pub mod sides;
pub mod slices;

pub use course::{ComparisonRequest, record_itself, run};
