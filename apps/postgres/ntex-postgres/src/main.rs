//! Server under test: ntex with PostgreSQL. Its feature `tokio` runs each worker on a runtime of tokio, which the driver needs.

mod routes;

use std::io;

use ntex::web::{self, App, HttpServer, types::JsonConfig};
use postgres_contract::{Deadpool, MAX_BODY_BYTES, settings_or_exit};

#[ntex::main]
async fn main() -> io::Result<()> {
    let settings = settings_or_exit();
    let addr = settings.server.addr;
    let store = Deadpool::or_exit(&settings);
    HttpServer::new(async move || {
        App::new()
            .state(JsonConfig::default().limit(MAX_BODY_BYTES))
            .state(store.clone())
            .configure(routes::configure)
            .default_service(web::to(routes::not_found))
    })
    .workers(settings.server.workers.get())
    // Its own handler of SIGTERM waits up to 30 s for open connections; a load generator keeps them open.
    .disable_signals()
    .bind(addr)
    .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error))
    .run()
    .await
}
