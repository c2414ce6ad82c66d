//! What all servers of hyperlane share, those with a database and with service features too: what is done with every answer.

mod answers;
mod hooks;

use std::{io, net::SocketAddr};

use contract::{cannot_listen, cannot_start};
use hyperlane::{Server, ServerError};

pub use crate::{
    answers::{Refusal, body, fill_in, json, only_get, only_post, refuse, text},
    hooks::{register, send},
};

/// Serves at the address of the configuration, or the end of the process.
pub async fn run(server: &Server, addr: SocketAddr) {
    match server.run().await {
        Ok(running) => running.wait().await,
        Err(error) => match *error {
            ServerError::TcpBind(reason) => cannot_listen(addr, &io::Error::other(reason)),
            other => cannot_start(other),
        },
    }
}
