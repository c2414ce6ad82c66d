//! What the variants of this server share: all but the allocator and the library that reads and writes JSON.

mod codec;
mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use std::io;

use axum::Router;
use services_contract::settings_or_exit;

pub use crate::{codec::json_by, routes::json};

/// Serves, with these routes where JSON is read: [`json`] or [`json_by`].
pub fn run(json: Router) -> io::Result<()> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        axum::serve(listener, routes::router(&settings, json)).await
    })
}
