//! Axum with any driver.

mod routes;

use postgres_contract::{Settings, Store};
use tokio::{net::TcpListener, runtime};

/// Serves for ever, with what `store` makes on the runtime of the server.
pub fn serve<S: Store>(settings: &Settings, store: impl AsyncFnOnce(&Settings) -> S) -> std::io::Result<()> {
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let addr = settings.server.addr;
            let listener = TcpListener::bind(addr)
                .await
                .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error));
            axum::serve(listener, routes::router(store(settings).await)).await
        })
}
