//! Server under test: rama with PostgreSQL.

mod routes;

use postgres_contract::{Deadpool, Settings, settings_or_exit};
use rama::{http::server::HttpServer, rt::Executor, tcp::server::TcpListener};

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings));
}

async fn serve(settings: &Settings) {
    // By tokio, because rama's own `bind` fails with an error of any type.
    let listener: TcpListener = contract_tokio::listen(settings.server.addr).await.into();
    let router = routes::router(Deadpool::or_exit(settings));
    listener
        .serve(HttpServer::auto(Executor::default()).service(router))
        .await;
}
