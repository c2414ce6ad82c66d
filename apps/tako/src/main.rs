//! Server under test: Tako, set up as its quickstart and its page on HTTP do it. In since 2.6.0, as a framework with a router and
//! extractors of its own on hyper's connections.
//!
//! Its thread-per-core server (feature `per-thread`) is no variant here: it speaks HTTP/1.1 in cleartext and nothing else, and a
//! variant speaks what its app does.

mod routes;

use std::sync::Arc;

use contract::{Http, Settings, Supports};
use tako::{Server, server_tls::serve_tls_with_rustls_config, types::BoxError};

fn main() -> Result<(), BoxError> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    contract_tokio::block_on(settings.workers, serve(&settings))
}

/// In cleartext, Tako has a server for each version of HTTP; over TLS it speaks the one that is agreed upon.
async fn serve(settings: &Settings) -> Result<(), BoxError> {
    let tls = settings.tls.as_ref();
    let tls = tls.map(|tls| contract::tls_config_or_exit(tls, settings.http));
    let listener = contract_tokio::listen(settings.addr).await;
    let (server, router) = (Server::builder().build(), routes::router());
    match (tls, settings.http) {
        (None, Http::One) => server.try_spawn_http(listener, router)?.result().await?,
        (None, Http::Two) => server.try_spawn_h2c(listener, router)?.result().await?,
        (Some(config), _) => {
            serve_tls_with_rustls_config(listener, router, Arc::new(config), server.config().clone()).await;
        }
    }
    Ok(())
}
