//! The course of a run: from a plan to trials.

mod campaign;
mod capacity;
mod counted;
mod memory;
pub mod round;
pub mod sliced;
mod spoilt;
mod trial;
mod trouble;
mod verdict;

pub use campaign::{Campaign, CampaignError, Events, Subject};
pub use counted::{Counting, counted};
pub use trial::Place;
pub use trouble::Trouble;
