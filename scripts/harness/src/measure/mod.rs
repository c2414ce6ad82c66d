//! Measuring: from a plan to trials.

mod campaign;
mod generator;
mod judge;
mod memory;
mod server;
mod trial;

pub use campaign::{Campaign, CampaignError, Events, Subject};
pub use generator::{Generator, GeneratorError};
pub use server::{Server, StartError};
