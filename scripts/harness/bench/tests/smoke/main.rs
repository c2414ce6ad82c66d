//! The command from end to end: a dozen smokes with real servers and the real oha. One at a time, `--test-threads 1`, with the machine for
//! itself; every other test starts at most one process.

#![allow(clippy::unwrap_used)] // in a test, an unwrap is an assertion

#[path = "../common/mod.rs"]
mod common;
mod compare;
mod container;
mod contract;
mod database;
mod generators;
mod handover;
mod interrupt;
mod load_from;
mod run;
mod services;
