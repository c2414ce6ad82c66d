//! Axum with any driver.

mod routes;

use postgres_contract::{Settings, Store};

/// Serves for ever, with what `store` makes on the runtime of the server.
pub fn serve<S: Store>(settings: &Settings, store: impl AsyncFnOnce(&Settings) -> S) -> std::io::Result<()> {
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        axum::serve(listener, routes::router(store(settings).await)).await
    })
}
