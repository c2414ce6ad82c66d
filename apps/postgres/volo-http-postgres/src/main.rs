//! Server under test: Volo-HTTP with PostgreSQL.

mod routes;

use std::{error::Error, process};

use postgres_contract::{Deadpool, Settings, settings_or_exit};
use tokio::{net::TcpListener, runtime};
use volo::net::incoming::DefaultIncoming;
use volo_http::server::Server;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let settings = settings_or_exit();
    // What `#[volo::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(serve(&settings))
}

async fn serve(settings: &Settings) -> Result<(), Failure> {
    // Given an address, Volo would share it with any other process that listens there.
    let addr = settings.server.addr;
    let listener = TcpListener::bind(addr)
        .await
        .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error));
    Server::new(routes::router(Deadpool::or_exit(settings)))
        // From here on it would wait for open connections.
        .register_shutdown_hook(|| process::exit(0))
        .http1_only()
        .run(DefaultIncoming::from(listener))
        .await
}
