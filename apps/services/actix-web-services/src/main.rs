//! Server under test: Actix Web with what services do beside.

mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use actix_web::{App, HttpServer, web};
use services_contract::{MAX_BODY_BYTES, settings_or_exit};

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let server = settings.server.clone();
    HttpServer::new(move || {
        App::new()
            .app_data(web::JsonConfig::default().limit(MAX_BODY_BYTES))
            .configure(|config| routes::configure(config, &settings))
    })
    .workers(server.workers.get())
    // Its own handler of SIGTERM waits up to 30 s for open connections; a load generator keeps them open.
    .disable_signals()
    .bind(server.addr)
    .unwrap_or_else(|error| services_contract::cannot_listen(server.addr, &error))
    .run()
    .await
}
