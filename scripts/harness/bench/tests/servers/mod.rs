//! The command on real servers, with a real load generator: whatever starts one takes its turn on the machine.

mod apps;
mod check;
mod compare;
pub mod containers;
mod costs;
mod database;
mod generators;
mod handover;
pub mod load_from;
mod network;
mod new_app;
mod probe;
mod prover;
mod releases;
mod run;
mod scaling;
mod services;
mod situations;
