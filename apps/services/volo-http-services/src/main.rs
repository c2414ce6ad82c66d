//! Server under test: Volo-HTTP with service features.

mod body;
mod files;
mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use std::{error::Error, process};

use services_contract::{Settings, settings_or_exit};
use volo::net::incoming::DefaultIncoming;
use volo_http::server::{Server, middleware::map_response};

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings))
}

async fn serve(settings: &Settings) -> Result<(), Failure> {
    // Given an address, Volo would share it with any other process that listens there.
    let listener = contract_tokio::listen(settings.server.addr).await;
    Server::new(routes::router(settings))
        .layer(map_response(body::of_failure))
        // From here on it would wait for open connections.
        .register_shutdown_hook(|| process::exit(0))
        .http1_only()
        .run(DefaultIncoming::from(listener))
        .await
}
