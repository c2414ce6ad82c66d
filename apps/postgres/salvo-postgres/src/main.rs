//! Server under test: Salvo with PostgreSQL.

mod routes;

use postgres_contract::{Deadpool, MAX_BODY_BYTES, Settings, settings_or_exit};
use salvo::{Error, Listener as _, Server, conn::TcpListener, http::request::set_global_secure_max_size};

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
            Error::Io(error) => postgres_contract::cannot_listen(addr, &error),
            other => postgres_contract::cannot_start(other),
        });
    set_global_secure_max_size(MAX_BODY_BYTES);
    let service = routes::service(Deadpool::or_exit(settings));
    Server::new(acceptor).try_serve(service).await
}
