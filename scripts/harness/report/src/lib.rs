//! All that people and programs read: documents for Markdown and terminals, charts, README.md's block, exports, the site's data.
//!
//! Everything here is a pure function of a [`model::Record`] or of what was derived from one: no process is started, no clock is read
//! and no file is opened, so that any old result can be shown again on any machine. The caller decides where the text goes.
//!
//! A report builds a [`document`], which two renderers write; `table` decides once what is shown where and what is marked. A run is shown as
//! the `full` report, which ends with its `summary`, one app of it as `framework`, and by `first_figures` while it is made;
//! `table::findings` are the sentences of all of them.

pub mod artifact;
mod block;
mod chart;
mod comment;
mod comparison;
mod conditions;
mod costs;
mod cross_check;
mod document;
pub mod export;
pub mod figure;
mod first_figures;
mod framework;
mod full;
mod history;
mod instructions;
pub mod labels;
mod matrix;
mod pair;
mod probes;
pub mod publish;
mod pull_request;
mod rank_reversals;
mod readme;
mod releases;
mod scaling;
mod self_test;
pub mod site;
mod summary;
mod table;
mod terminal;
mod upstream;

pub use block::{ReadmeBlock, replace_block};
pub use chart::{OVERVIEW, PANELS, charts, flame_graph};
pub use comment::Comment;
pub use comparison::{comparison_markdown, explanation_markdown};
pub use conditions::trust_markdown;
pub use cross_check::cross_check_table;
pub use first_figures::first_figures;
pub use framework::framework;
pub use full::{full_markdown, full_terminal, published_markdown};
pub use history::{history_alarm, history_markdown, history_news, history_state};
pub use pair::pair;
pub use probes::{moving, probe_changes, probes, probes_chart, probes_markdown};
pub use pull_request::{Links, pull_request};
pub use readme::{Around, Readme};
pub use releases::releases_page;
pub use self_test::{self_test_block, self_test_chart, self_test_markdown};
pub use summary::summary;
pub use terminal::{Style, aligned};
pub use upstream::{Coming, upstream_markdown};
