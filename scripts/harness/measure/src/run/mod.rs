//! The course of a run: from a plan to trials.

mod audience;
mod calibration;
mod campaign;
mod capacity;
mod costs;
mod counted;
mod course;
mod memory;
mod resume;
pub mod round;
pub mod sliced;
mod spoilt;
mod trial;
mod verdict;

pub use calibration::wished;
pub use course::{RunRequest, run};
pub use trial::Place;
