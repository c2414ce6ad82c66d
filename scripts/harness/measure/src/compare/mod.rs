//! Comparing two revisions: both sides are built, probed, and driven in turns until [`analyze::compare`] has decided.

mod built;
mod campaign;
mod candidate;
pub mod changes;
mod explain;
pub mod pair;
pub mod patch;
mod plan;
mod probing;
mod request;
mod scenarios;
mod schedule;
mod scope;
mod self_test;
mod session;
mod setup;
pub mod sides;

pub use explain::{ExplainRequest, explain};
pub use plan::{ComparisonPlan, plan};
pub use request::ComparisonRequest;
pub use self_test::record_itself;
pub use session::run;
