//! Server under test: Tako with PostgreSQL.

mod routes;

use postgres_contract::{Deadpool, Settings, settings_or_exit};
use tako::{Server, types::BoxError};
use tokio::{net::TcpListener, runtime};

fn main() -> Result<(), BoxError> {
    let settings = settings_or_exit();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(serve(&settings))
}

async fn serve(settings: &Settings) -> Result<(), BoxError> {
    let addr = settings.server.addr;
    let listener = TcpListener::bind(addr)
        .await
        .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error));
    let router = routes::router(Deadpool::or_exit(settings));
    let server = Server::builder().build().try_spawn_http(listener, router)?;
    Ok(server.result().await?)
}
