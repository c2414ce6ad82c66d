//! Server under test: Tako with PostgreSQL.

mod routes;

use postgres_contract::{Deadpool, Settings, settings_or_exit};
use tako::{Server, types::BoxError};

fn main() -> Result<(), BoxError> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings))
}

async fn serve(settings: &Settings) -> Result<(), BoxError> {
    let listener = contract_tokio::listen(settings.server.addr).await;
    let router = routes::router(Deadpool::or_exit(settings));
    let server = Server::builder().build().try_spawn_http(listener, router)?;
    Ok(server.result().await?)
}
