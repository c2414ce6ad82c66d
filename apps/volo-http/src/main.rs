//! Server under test: Volo-HTTP, set up as its guide does it.
//!
//! Over TLS it makes one handshake after the other: a client that is silent holds up all that come after it.

mod routes;

use std::{error::Error, process};

use contract::{Http, Settings, Supports};
use volo::net::{incoming::DefaultIncoming, tls::ServerTlsConfig};
use volo_http::server::Server;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    contract_tokio::block_on(settings.workers, serve(&settings))
}

async fn serve(settings: &Settings) -> Result<(), Failure> {
    // Given an address, Volo would share it with any other process that listens there.
    let listener = contract_tokio::listen(settings.addr).await;
    let mut server = Server::new(routes::router())
        // From here on it would wait for open connections.
        .register_shutdown_hook(|| process::exit(0));
    if let Some(tls) = &settings.tls {
        let config = contract::tls_config_or_exit(tls, settings.http);
        server = server.tls_config(ServerTlsConfig {
            acceptor: config.into(),
        });
    }
    let server = match settings.http {
        Http::One => server.http1_only(),
        Http::Two => server.http2_only(),
    };
    server.run(DefaultIncoming::from(listener)).await
}
