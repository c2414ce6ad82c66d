//! Server under test: Tide, set up as its guide does it.
//!
//! Its engine async-h1 drops what it has read ahead after each request: of several that a client sends without waiting, the later ones
//! are lost. It does not answer what is no request of HTTP/1.1; it closes the connection.
//!
//! The TLS that its documentation names, tide-rustls, is left out: it stands on a rustls that is no longer mended.

mod body_limit;
mod routes;

use async_global_executor::GlobalExecutorConfig;
use async_std::task;
use contract::Supports;
use tide::listener::Listener as _;

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    // async-std reads its number of threads from the environment only. This is the executor below it, which keeps the
    // configuration that comes first.
    let workers = settings.workers.get();
    async_global_executor::init_with_config(
        GlobalExecutorConfig::default()
            .with_min_threads(workers)
            .with_max_threads(workers),
    );
    task::block_on(async {
        let mut listener = routes::app()
            .bind(settings.addr)
            .await
            .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error));
        listener.accept().await
    })
}
