//! Server under test: Tako with service features.

mod files;
mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use services_contract::{Settings, settings_or_exit};
use tako::{Server, types::BoxError};

fn main() -> Result<(), BoxError> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings))
}

async fn serve(settings: &Settings) -> Result<(), BoxError> {
    let listener = contract_tokio::listen(settings.server.addr).await;
    let server = Server::builder().build();
    server
        .try_spawn_http(listener, routes::router(settings))?
        .result()
        .await?;
    Ok(())
}
