//! What all variants of this server share: everything but the threads.

mod connection;
pub mod exchange;
mod routes;

pub use connection::{Protocol, serve};
