//! What breaks: how many cases each server fails, which, and whose fault it is.

mod markdown;
mod terminal;

pub use markdown::{changes as probe_changes, markdown as probes_markdown};
pub use terminal::probes;
