//! What the variants of this server share: all but the allocator and the library that reads and writes JSON.

mod codec;
mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use std::io;

use axum::Router;
use services_contract::settings_or_exit;
use tokio::{net::TcpListener, runtime};

pub use crate::{codec::json_by, routes::json};

/// Serves, with these routes where JSON is read: [`json`] or [`json_by`].
pub fn run(json: Router) -> io::Result<()> {
    let settings = settings_or_exit();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let addr = settings.server.addr;
            let listener = TcpListener::bind(addr)
                .await
                .unwrap_or_else(|error| services_contract::cannot_listen(addr, &error));
            axum::serve(listener, routes::router(&settings, json)).await
        })
}
