//! What the variants of this server share.

mod routes;
mod server;

pub use routes::router;
pub use server::{serve, tls};
