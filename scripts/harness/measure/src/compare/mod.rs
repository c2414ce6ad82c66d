//! Comparing two revisions: both sides are built, probed, and driven in turns until [`analyze::compare`] has decided.

mod built;
pub mod campaign;
pub mod changes;
mod explain;
pub mod pair;
pub mod patch;
mod probing;
mod runner;
mod scenarios;
mod scope;
mod shards;
pub mod sides;

pub use explain::{ExplainRequest, explain};
pub use runner::{ComparisonRequest, record_itself, run};
pub use shards::{ComparisonPlan, ShardRequest, plan};
