//! What all variants of this server share: everything but the threads.

mod connection;
mod exchange;
mod routes;

pub use connection::{Protocol, serve};
