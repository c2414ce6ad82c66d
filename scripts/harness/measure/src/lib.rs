//! All that starts a process or looks at the machine.
//!
//! It may use `model` and `analyze`. [`catalog`] finds the apps; [`profile`] and [`plan`] say which requests they get;
//! [`build`](mod@build) makes their programs; [`contract`] and [`check`](mod@check) prove that they answer correctly;
//! [`server`] and [`generator`] run and drive them; [`machine`] watches the cpus; [`request_counts`] counts what one request
//! takes, and [`app_costs`] what an app takes besides; [`run`] is the course of a run, and [`compare`] that of a comparison.

pub mod affinity;
pub mod app_costs;
pub mod workload;

pub mod build;
pub mod catalog;
pub mod check;
pub mod compare;
mod compile_error;
pub mod confine;
pub mod container;
pub mod contract;
mod contract_parts;
pub mod database;
pub mod descendants;
pub mod doctor;
pub mod failure;
pub mod generator;
pub mod git;
pub mod handover;
pub mod interrupt;
pub mod journal;
mod kernel_files;
pub mod lockfiles;
pub mod machine;
pub mod network;
pub mod new_app;
pub mod parallel_map;
pub mod plan;
pub mod probe;
pub mod process;
pub mod profile;
pub mod program;
pub mod progress;
mod registry_paths;
pub mod request_counts;
pub mod run;
pub mod served_files;
pub mod server;
mod service_input;
pub mod shared_files;
mod stderr;
mod suggest;
pub mod supply;
