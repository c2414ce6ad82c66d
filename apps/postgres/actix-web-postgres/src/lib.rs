//! Actix Web with any driver.

mod routes;

use std::io;

use actix_web::{App, HttpServer, web};
use postgres_contract::{MAX_BODY_BYTES, Settings, Store};

/// Serves for ever, or ends the process where it cannot begin. All workers share `store`, as they share the pool of Actix Web's own
/// example `deadpool-postgres`.
pub async fn serve<S: Store>(settings: &Settings, store: S) -> io::Result<()> {
    let addr = settings.server.addr;
    HttpServer::new(move || {
        App::new()
            .app_data(web::JsonConfig::default().limit(MAX_BODY_BYTES))
            .app_data(web::Data::new(store.clone()))
            .configure(routes::configure::<S>)
    })
    .workers(settings.server.workers.get())
    // Its own handler of SIGTERM waits up to 30 s for open connections; a load generator keeps them open.
    .disable_signals()
    .bind(addr)
    .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error))
    .run()
    .await
}
