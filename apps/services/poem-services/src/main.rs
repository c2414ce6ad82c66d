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

fn main() -> io::Result<()> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings))
}

async fn serve(settings: &Settings) -> io::Result<()> {
    let addr = settings.server.addr;
    let acceptor = TcpListener::bind(addr)
        .into_acceptor()
        .await
        .unwrap_or_else(|error| services_contract::cannot_listen(addr, &error));
    Server::new_with_acceptor(acceptor).run(routes::routes(settings)).await
}
