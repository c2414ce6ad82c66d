//! Server under test: xitca-web with PostgreSQL.

mod routes;

use postgres_contract::{Deadpool, settings_or_exit};
use xitca_web::{
    App,
    handler::handler_service,
    route::{get, post},
};

fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let addr = settings.server.addr;
    // The routes are here and not with their handlers, because the type of an application has no name to return it by.
    App::new()
        .at("/", get(handler_service(routes::index)))
        .at("/db", get(handler_service(routes::db)))
        .at("/queries", get(handler_service(routes::queries)))
        .at("/fortunes", get(handler_service(routes::fortunes)))
        .at("/orders", post(handler_service(routes::create_order)))
        .at("/orders/{id}", get(handler_service(routes::order)))
        .at("/updates", post(handler_service(routes::updates)))
        .with_state(Deadpool::or_exit(&settings))
        .serve()
        .worker_threads(settings.server.workers.get())
        // With its handlers, SIGTERM leaves open connections half a minute.
        .disable_signal()
        .bind(addr)
        .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error))
        .run()
        .wait()
}
