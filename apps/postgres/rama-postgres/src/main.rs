//! Server under test: rama with PostgreSQL.

mod body;
mod routes;

use std::io;

use postgres_contract::{Deadpool, Settings, settings_or_exit};
use rama::{http::server::HttpServer, rt::Executor, tcp::server::TcpListener};
use tokio::{net, runtime};

fn main() -> io::Result<()> {
    let settings = settings_or_exit();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(serve(&settings));
    Ok(())
}

async fn serve(settings: &Settings) {
    let addr = settings.server.addr;
    // By tokio, because rama's own `bind` fails with an error of any type.
    let listener: TcpListener = net::TcpListener::bind(addr)
        .await
        .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error))
        .into();
    let router = routes::router(Deadpool::or_exit(settings));
    listener
        .serve(HttpServer::auto(Executor::default()).service(router))
        .await;
}
