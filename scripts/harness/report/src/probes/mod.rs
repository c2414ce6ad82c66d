//! Robustness: how many cases each server fails, which, and whose fault it is.

mod clients;
mod summary;
mod table;

pub use clients::moving;
pub use summary::{changes as probe_changes, chart as probes_chart, probes_markdown};
pub use table::probes;
