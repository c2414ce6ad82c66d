//! The course of what is measured: a plan, its rounds, and the record that they end in.
//!
//! [`plan`] says which requests the apps get; [`run`] is the course of a run, [`compare`] of a comparison, [`probe`] of
//! what breaks a server; [`request_counts`] counts what one request takes, and [`app_costs`] what an app takes besides.

pub mod app_costs;
pub mod compare;
pub mod doctor;
mod new_record;
pub mod plan;
pub mod probe;
pub mod programs;
pub mod progress;
pub mod releases;
pub mod request_counts;
pub mod run;
pub mod upstream;
mod versions;
