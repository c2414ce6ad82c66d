//! What the variants of this server share: all but the allocator and the library that reads and writes JSON.

mod codec;
mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use std::io;

use actix_web::{App, HttpServer, web};
use services_contract::{MAX_BODY_BYTES, settings_or_exit};

pub use crate::{codec::json_by, routes::json};

/// Serves, with the routes where JSON is read that `json` adds: [`json`] or [`json_by`].
pub async fn run(json: fn(&mut web::ServiceConfig)) -> io::Result<()> {
    serve(json, routes::grouped).await
}

/// Serves, with the numbered routes one after the other in place of a scope for each area.
pub async fn run_flat() -> io::Result<()> {
    serve(json, routes::flat).await
}

async fn serve(json: fn(&mut web::ServiceConfig), things: fn(&mut web::ServiceConfig, u32)) -> io::Result<()> {
    let settings = settings_or_exit();
    let server = settings.server.clone();
    HttpServer::new(move || {
        App::new()
            .app_data(web::JsonConfig::default().limit(MAX_BODY_BYTES))
            .configure(|config| routes::configure(config, &settings, json, things))
    })
    .workers(server.workers.get())
    // Its own handler of SIGTERM waits up to 30 s for open connections; a load generator keeps them open.
    .disable_signals()
    .bind(server.addr)
    .unwrap_or_else(|error| services_contract::cannot_listen(server.addr, &error))
    .run()
    .await
}
