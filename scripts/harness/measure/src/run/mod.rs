//! The course of a run: from a plan to trials.

mod calibration;
mod campaign;
mod capacity;
mod counted;
mod course;
mod memory;
mod resume;
pub mod round;
pub mod sliced;
mod spoilt;
mod trial;
mod trouble;
mod verdict;

pub use calibration::wished;
pub use campaign::{Campaign, CampaignError, Events, Subject};
pub use counted::{Counting, counted};
pub(crate) use course::run_id;
pub use course::{Request, run};
pub use trial::Place;
pub use trouble::Trouble;
