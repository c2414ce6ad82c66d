//! Server under test: Silent with service features.

mod body;
mod middleware;
mod pieces;
mod routes;

use services_contract::{MAX_BODY_BYTES, Settings, settings_or_exit};
use silent::{ConnectionLimits, Listener, Server};

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings));
}

async fn serve(settings: &Settings) {
    // Given an address, Silent would panic where it cannot be bound.
    let listener: Listener = contract_tokio::listen(settings.server.addr).await.into();
    let limits = ConnectionLimits {
        max_body_size: Some(MAX_BODY_BYTES),
        ..ConnectionLimits::default()
    };
    Server::new()
        .listen(listener)
        .with_connection_limits(limits)
        .serve(routes::routes(settings))
        .await;
}
