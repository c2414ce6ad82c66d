//! Measuring: from a plan to trials.

mod campaign;
mod capacity;
mod counted;
mod generator;
mod judge;
mod memory;
pub mod round;
mod server;
pub mod sliced;
mod spoilt;
mod trial;
mod trouble;

pub use campaign::{Campaign, CampaignError, Events, Subject};
pub use counted::{Counting, counted};
pub use generator::{Generator, GeneratorError, Generators, Load};
pub use server::{Servant, Server, StartError};
pub use trial::Place;
pub use trouble::Trouble;
