//! Measuring: from a plan to trials.

mod campaign;
mod capacity;
mod counted;
mod generator;
mod judge;
mod memory;
mod server;
mod spoilt;
mod trial;
mod trouble;

pub use campaign::{Campaign, CampaignError, Events, Subject};
pub use counted::{Counting, counted};
pub use generator::{Generator, GeneratorError, Generators, Load};
pub use server::{Servant, Server, StartError};
pub use trouble::Trouble;
