//! What the variants of this server share: all but the engine that makes the page of fortunes.

mod routes;

use postgres_contract::{Deadpool, MAX_BODY_BYTES, Settings, settings_or_exit};
use silent::prelude::Route;

pub use crate::routes::{failure, fortunes};

/// Serves, with `fortunes` for the page.
pub fn run(fortunes: Route) {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings, fortunes));
}

async fn serve(settings: &Settings, fortunes: Route) {
    silent_app::server(settings.server.addr, MAX_BODY_BYTES)
        .await
        .serve(routes::routes(Deadpool::or_exit(settings), fortunes))
        .await;
}
