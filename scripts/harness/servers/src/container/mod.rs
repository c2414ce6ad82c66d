//! Runs servers in containers: the same program that is measured natively, and nothing that it does not need.
//!
//! The engine of this machine (Docker or Podman) is driven through its command line. No base image is pulled: an image holds
//! the program and the shared libraries that its loader names. Every image and container has a label with its owner, so that
//! the next run can find and remove what a killed run has left.

mod engine;
mod image;
mod libraries;
mod owner;
mod running;

pub use engine::Engine;
pub use image::{Image, Images};
pub use running::{Container, MEMORY, Network, Order, SettingValue};
