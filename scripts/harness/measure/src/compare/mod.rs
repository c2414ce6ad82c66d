//! Comparing two revisions: both sides are built, probed, and driven in turns until [`judge::compare`] has decided.

mod built;
pub mod campaign;
pub mod changes;
mod course;
pub mod instructions;
mod probing;
mod scenarios;
mod scope;
mod shards;
pub mod sides;
pub mod slices;

pub use course::{ComparisonRequest, record_itself, run};
pub use shards::{ComparisonPlan, ShardRequest, plan};
