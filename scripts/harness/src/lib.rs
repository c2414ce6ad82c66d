//! Measures Rust web frameworks: finds the apps, builds each by itself, proves that it answers correctly, drives it
//! with oha, judges every trial and writes a record in which every number has an interval and a verdict.
//!
//! Data flows one way: [`catalog`] and [`profile`] → [`plan`] → [`measure`] → [`record`] → [`analysis`] → [`report`].
//! Nothing left of the record knows of Markdown or charts; nothing right of it starts a process.

pub mod analysis;
pub mod artifact;
pub mod build;
pub mod catalog;
pub mod cli;
pub mod compact;
pub mod compare;
pub mod container;
pub mod contract;
pub mod costs;
pub mod count;
pub mod cross_check;
pub mod doctor;
pub mod export;
pub mod git;
pub mod github;
pub mod handover;
pub mod history;
pub mod interrupt;
pub mod journal;
pub mod lockfiles;
pub mod machine;
pub mod measure;
pub mod new_app;
pub mod plan;
pub mod process;
pub mod profile;
pub mod progress;
pub mod publish;
pub mod published;
pub mod record;
pub mod report;
pub mod scenario;
pub mod since;
pub mod stats;
pub mod store;
pub mod variations;
