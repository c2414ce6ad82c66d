//! What the variants of this server share, and of it the one with service features.

mod failure;
mod payload;
#[cfg(feature = "server")]
mod routes;
#[cfg(feature = "server")]
mod server;

pub use failure::with_body;
pub use payload::Payload;
#[cfg(feature = "server")]
pub use server::{Write, run};
