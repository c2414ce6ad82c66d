//! Comparing two revisions: both sides are built, probed, and driven in turns until [`analyze::compare`] has decided.

mod built;
pub mod campaign;
pub mod changes;
mod explain;
pub mod pair;
pub mod patch;
mod plan;
mod probing;
mod runner;
mod scenarios;
mod scope;
pub mod sides;

pub use explain::{ExplainRequest, explain};
pub use plan::{ComparisonPlan, plan};
pub use runner::{ComparisonRequest, record_itself, run};
