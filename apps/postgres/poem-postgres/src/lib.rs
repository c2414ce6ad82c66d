//! What the variants of this server share: all but the engine that makes the page of fortunes.

mod routes;

use std::io;

use poem::{
    RouteMethod, Server,
    listener::{Listener as _, TcpListener},
};
use postgres_contract::{Deadpool, Settings, settings_or_exit};

pub use crate::routes::fortunes;

/// Serves, with `of_fortunes` for the page.
pub fn run(of_fortunes: RouteMethod) -> io::Result<()> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings, of_fortunes))
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
