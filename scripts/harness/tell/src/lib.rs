//! All that people and programs read: the terminal, Markdown, charts, exports, the tree of gh-pages, comments.
//!
//! It depends on `record` and `judge` only. It starts no process and measures nothing: it turns records into text and files.

pub mod artifact;
pub mod export;
pub mod publish;
pub mod report;
pub mod site;
