//! What the variants of this server share: all but the engine that makes the page of fortunes.

mod body;
mod routes;

use postgres_contract::{Deadpool, MAX_BODY_BYTES, Settings, settings_or_exit};
use silent::{ConnectionLimits, Listener, Server, prelude::Route};

pub use crate::routes::{failure, fortunes};

/// Serves, with `fortunes` for the page.
pub fn run(fortunes: Route) {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings, fortunes));
}

async fn serve(settings: &Settings, fortunes: Route) {
    // Given an address, Silent would panic where it cannot be bound.
    let listener: Listener = contract_tokio::listen(settings.server.addr).await.into();
    let limits = ConnectionLimits {
        max_body_size: Some(MAX_BODY_BYTES),
        ..ConnectionLimits::default()
    };
    Server::new()
        .listen(listener)
        .with_connection_limits(limits)
        .serve(routes::routes(Deadpool::or_exit(settings), fortunes))
        .await;
}
