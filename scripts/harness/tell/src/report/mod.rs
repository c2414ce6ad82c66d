//! What people read: Markdown, a terminal table, charts and the results block of README.md.
//!
//! Everything here is a pure function of a [`record::Record`]: no process is started, no clock is read and no
//! file is opened, so that any old result can be shown again on any machine. The caller decides where the text goes.
//!
//! `view` decides once what is shown where and what is marked; the other modules only format it. In every format, an untrusted
//! figure looks different from a trusted one.

pub mod block;
pub mod chart;
pub mod comment;
pub mod comparison;
pub mod costs;
pub mod cross_check;
pub mod figure;
pub mod history;
pub mod markdown;
mod older_benchmarks;
pub mod probes;
pub mod pull_request;
pub mod readme;
pub mod rehearsal;
pub mod terminal;
pub mod words;

mod conclusion;
mod first;
mod instructions;
mod matrix;
mod orders;
mod scaling;
mod steps;
mod surroundings;
mod table;
mod view;

pub use block::{Block, BlockError, replace_block};
pub use chart::{Chart, charts};
pub use comment::Comment;
pub use comparison::comparison_markdown;
pub use cross_check::cross_check_table;
pub use first::first_figures;
pub use history::{history_alarm, history_markdown, history_news, history_state};
pub use markdown::markdown;
pub use probes::{probe_changes, probes, probes_markdown};
pub use pull_request::pull_request;
pub use readme::{Breaks, readme_block};
pub use rehearsal::{rehearsal_block, rehearsal_chart, rehearsal_markdown};
pub use table::aligned;
pub use terminal::{Style, terminal};
