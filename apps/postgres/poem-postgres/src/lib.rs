//! What the variants of this server share: all but the engine that makes the page of fortunes.

mod routes;

use std::io;

use poem::{
    RouteMethod, Server,
    listener::{Listener as _, TcpListener},
};
use postgres_contract::{Deadpool, Settings, settings_or_exit};
use tokio::runtime;

pub use crate::routes::fortunes;

/// Serves, with `of_fortunes` for the page.
pub fn run(of_fortunes: RouteMethod) -> io::Result<()> {
    let settings = settings_or_exit();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(serve(&settings, of_fortunes))
}

async fn serve(settings: &Settings, of_fortunes: RouteMethod) -> io::Result<()> {
    let addr = settings.server.addr;
    let acceptor = TcpListener::bind(addr)
        .into_acceptor()
        .await
        .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error));
    let routes = routes::routes(Deadpool::or_exit(settings), of_fortunes);
    Server::new_with_acceptor(acceptor).run(routes).await
}
