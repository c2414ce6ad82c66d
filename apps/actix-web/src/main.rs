//! Server under test: Actix Web, set up as its guide does it.

mod routes;

use actix_web::{App, HttpServer, web};
use contract::{MAX_BODY_BYTES, Supports};

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    HttpServer::new(|| {
        App::new()
            .app_data(web::JsonConfig::default().limit(MAX_BODY_BYTES))
            .configure(routes::configure)
    })
    .workers(settings.workers.get())
    // Its own handler of SIGTERM waits up to 30 s for open connections; a load generator keeps them open.
    .disable_signals()
    .bind(settings.addr)
    .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error))
    .run()
    .await
}
