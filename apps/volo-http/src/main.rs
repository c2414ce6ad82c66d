//! Server under test: Volo-HTTP, set up as its guide does it.
//!
//! Over TLS it makes one handshake after the other: a client that is silent holds up all that come after it.

mod body;
mod routes;

use std::{error::Error, process};

use contract::{Http, Settings, Supports};
use tokio::{net::TcpListener, runtime};
use volo::net::{incoming::DefaultIncoming, tls::ServerTlsConfig};
use volo_http::server::Server;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    // What `#[volo::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers.get())
        .enable_all()
        .build()?
        .block_on(serve(&settings))
}

async fn serve(settings: &Settings) -> Result<(), Failure> {
    // Given an address, Volo would share it with any other process that listens there.
    let listener = TcpListener::bind(settings.addr)
        .await
        .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error));
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
