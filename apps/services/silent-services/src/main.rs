//! Server under test: Silent with service features.

mod body;
mod middleware;
mod pieces;
mod routes;

use std::io;

use services_contract::{MAX_BODY_BYTES, Settings, settings_or_exit};
use silent::{ConnectionLimits, Listener, Server};
use tokio::{net::TcpListener, runtime};

fn main() -> io::Result<()> {
    let settings = settings_or_exit();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(serve(&settings));
    Ok(())
}

async fn serve(settings: &Settings) {
    let addr = settings.server.addr;
    // Given an address, Silent would panic where it cannot be bound.
    let listener: Listener = TcpListener::bind(addr)
        .await
        .unwrap_or_else(|error| services_contract::cannot_listen(addr, &error))
        .into();
    let limits = ConnectionLimits {
        max_body_size: Some(MAX_BODY_BYTES),
        ..ConnectionLimits::default()
    };
    Server::new()
        .listen(listener)
        .with_connection_limits(limits)
        .serve(routes::routes(settings))
        .await;
}
