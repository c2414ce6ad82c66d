//! The command on real servers, with a real load generator: whatever starts one takes its turn on the machine.

#![allow(clippy::unwrap_used)] // in a test, an unwrap is an assertion

mod apps;
mod check;
#[path = "../common/mod.rs"]
mod common;
mod compare;
mod containers;
mod costs;
mod database;
mod generators;
mod handover;
mod load_from;
mod network;
mod new_app;
mod probe;
mod prover;
mod run;
mod scaling;
mod services;
mod situations;
