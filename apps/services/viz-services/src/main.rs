//! Server under test: Viz with service features.

mod files;
mod middleware;
mod pieces;
mod routes;
mod websocket;

use std::io;

use services_contract::settings_or_exit;
use tokio::{net::TcpListener, runtime};

fn main() -> io::Result<()> {
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
            viz::serve(listener, routes::router(&settings)).await
        })
}
