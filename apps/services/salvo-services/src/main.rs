//! Server under test: Salvo with service features.

mod middleware;
mod pieces;
mod routes;
mod websocket;

use salvo::{Error, Listener as _, Server, conn::TcpListener, http::request::set_global_secure_max_size};
use services_contract::{MAX_BODY_BYTES, Settings, settings_or_exit};

fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings))
}

async fn serve(settings: &Settings) -> std::io::Result<()> {
    let addr = settings.server.addr;
    let acceptor = TcpListener::new(addr)
        .try_bind()
        .await
        .unwrap_or_else(|error| match error {
            Error::Io(error) => services_contract::cannot_listen(addr, &error),
            other => services_contract::cannot_start(other),
        });
    // Looked at where a body is read. Its `SecureMaxSize` would be a handler before every request's.
    set_global_secure_max_size(MAX_BODY_BYTES);
    Server::new(acceptor).try_serve(routes::service(settings)).await
}
