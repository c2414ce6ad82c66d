//! Containers around servers: the very program that the native run measures, and nothing else that is not needed.
//!
//! An engine that runs on this machine (Docker or Podman) is driven by its command line. No base image is pulled: an image is
//! the program and the shared libraries that its loader names. Whatever is made carries a label with its owner, so that what
//! a killed run leaves is found and removed by the next one.

mod compose;
mod engine;
mod image;
mod libraries;
mod owner;
mod running;

pub use compose::compose;
pub use engine::Engine;
pub use image::{Image, Images, import_for_hand};
pub use running::{Container, MEMORY, Network, Order, Setting};
