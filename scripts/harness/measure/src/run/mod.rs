//! The course of a run: from a plan to trials.

mod calibration;
mod campaign;
mod capacity;
mod counted;
mod course;
mod failure;
mod memory;
mod resume;
pub mod round;
pub mod sliced;
mod spoilt;
mod trial;
mod verdict;

pub use calibration::wished;
pub use campaign::{BuiltApp, Campaign, CampaignError, Events};
pub use counted::{Counting, counted};
pub(crate) use course::run_id;
pub use course::{RunRequest, run};
pub use failure::Failure;
pub use trial::Place;
