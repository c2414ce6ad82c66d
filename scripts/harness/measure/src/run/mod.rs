//! The course of a run: from a plan to trials.

mod app_costs;
mod behind;
mod calibration;
mod campaign;
mod capacity;
mod conditions;
mod course;
pub mod driver;
#[cfg(test)]
pub(crate) mod fake;
mod load_machines;
pub mod memory;
mod observer;
mod preview;
mod request_counts;
mod resume;
pub mod round;
pub mod sliced;
mod spoilt;
mod trial;
mod verdict;
mod witness;

pub use calibration::requested_split;
pub use course::{RunRequest, run};
pub use load_machines::LoadFrom;
pub use trial::TrialPlace;
