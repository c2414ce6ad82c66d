//! The command and the scripts of the workflows on files: records, histories, published trees, repositories, and a fake of
//! GitHub. Nothing here measures.

mod command;
mod committed;
mod errors;
mod github;
mod golden;
mod growth;
mod history;
mod interrupt;
mod manifest;
mod probes;
mod publish;
mod report;
mod runner;
mod self_test;
mod situations;
mod sources;
mod store;
pub mod touched;
mod workflow_scripts;
