//! What the variants of this server share: all but the engine that makes the page of fortunes.

mod body;
mod routes;

use std::io;

use postgres_contract::{Deadpool, MAX_BODY_BYTES, Settings, settings_or_exit};
use silent::{ConnectionLimits, Listener, Server, prelude::Route};
use tokio::{net::TcpListener, runtime};

pub use crate::routes::{failure, fortunes};

/// Serves, with `fortunes` for the page.
pub fn run(fortunes: Route) -> io::Result<()> {
    let settings = settings_or_exit();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(serve(&settings, fortunes));
    Ok(())
}

async fn serve(settings: &Settings, fortunes: Route) {
    // Given an address, Silent would panic where it cannot be bound.
    let addr = settings.server.addr;
    let listener: Listener = TcpListener::bind(addr)
        .await
        .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error))
        .into();
    let limits = ConnectionLimits {
        max_body_size: Some(MAX_BODY_BYTES),
        ..ConnectionLimits::default()
    };
    Server::new()
        .listen(listener)
        .with_connection_limits(limits)
        .serve(routes::routes(Deadpool::or_exit(settings), fortunes))
        .await;
}
