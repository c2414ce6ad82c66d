//! The course of a run: from a plan to trials.

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
pub use campaign::{Campaign, CampaignError, Events};
pub use counted::{Counting, counted};
pub use course::{RunRequest, run};
pub use trial::Place;
