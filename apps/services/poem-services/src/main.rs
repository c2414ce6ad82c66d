//! Server under test: Poem with service features.

mod files;
mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use std::io;

use poem::{
    Server,
    listener::{Listener as _, TcpListener},
};
use services_contract::{Settings, settings_or_exit};
use tokio::runtime;

fn main() -> io::Result<()> {
    let settings = settings_or_exit();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(serve(&settings))
}

async fn serve(settings: &Settings) -> io::Result<()> {
    let addr = settings.server.addr;
    let acceptor = TcpListener::bind(addr)
        .into_acceptor()
        .await
        .unwrap_or_else(|error| services_contract::cannot_listen(addr, &error));
    Server::new_with_acceptor(acceptor).run(routes::routes(settings)).await
}
