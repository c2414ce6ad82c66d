//! Makes a run: from a plan to trials.

mod app_costs;
mod calibration;
mod campaign;
mod capacity;
mod conditions;
mod database_observer;
mod disturbed;
pub mod driver;
#[cfg(test)]
pub(crate) mod fake;
mod inload_check;
mod load_machines;
pub mod memory;
mod observation;
mod observer;
mod preview;
mod request_counts;
mod resume;
pub mod round;
mod runner;
pub mod sliced;
mod trial;
mod verdict;

pub use calibration::requested_split;
pub(crate) use runner::with_database;
pub use runner::{RunRequest, run};
