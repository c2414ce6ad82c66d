//! What the variants of this server share: all but the allocator and the library that reads and writes JSON.

// Twenty layers make a type as deep as that.
#![recursion_limit = "512"]

mod clock;
mod codec;
mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use std::io;

use ntex::web::{self, App, HttpServer, types::JsonConfig};
use services_contract::{MAX_BODY_BYTES, settings_or_exit};

pub use crate::{codec::json_by, routes::json};

/// Serves, with the routes where JSON is read that `json` adds: [`json`] or [`json_by`].
pub async fn run(json: fn(&mut web::ServiceConfig)) -> io::Result<()> {
    let settings = settings_or_exit();
    let server = settings.server.clone();
    HttpServer::new(async move || {
        App::new()
            .state(JsonConfig::default().limit(MAX_BODY_BYTES))
            .configure(|config| routes::configure(config, &settings, json))
            .default_service(web::to(routes::not_found))
    })
    .workers(server.workers.get())
    // Its own handler of SIGTERM waits up to 30 s for open connections; a load generator keeps them open.
    .disable_signals()
    .bind(server.addr)
    .unwrap_or_else(|error| services_contract::cannot_listen(server.addr, &error))
    .run()
    .await
}
