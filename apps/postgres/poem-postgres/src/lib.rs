//! What the variants of this server share: all but the engine that makes the page of fortunes.

mod routes;

use std::io;

use poem::{RouteMethod, listener::TcpListener};
use postgres_contract::{Deadpool, settings_or_exit};

pub use crate::routes::fortunes;

/// Serves, with `of_fortunes` for the page.
pub fn run(of_fortunes: RouteMethod) -> io::Result<()> {
    let settings = settings_or_exit();
    let addr = settings.server.addr;
    contract_tokio::block_on(settings.server.workers, async {
        let routes = routes::routes(Deadpool::or_exit(&settings), of_fortunes);
        poem_app::run(TcpListener::bind(addr), addr, routes).await
    })
}
