//! Server under test: Viz, set up as its guide does it.

mod routes;

use std::{io, sync::Arc};

use contract::Supports;
use tokio::{net::TcpListener, runtime};
use viz::{
    serve,
    tls::{TlsListener, rustls::TlsAcceptor},
};

fn main() -> io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let tls = settings
        .tls
        .as_ref()
        .map(|tls| contract::tls_config_or_exit(tls, settings.http));
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let listener = TcpListener::bind(settings.addr)
                .await
                .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error));
            match tls {
                // Speaks whichever version of HTTP a client begins with.
                None => serve(listener, routes::router()).await,
                // Viz makes one handshake after the other: a client that is silent holds up all that come after it, and
                // after a handshake that fails it waits a second.
                Some(config) => {
                    let acceptor = TlsAcceptor::from(Arc::new(config));
                    serve(TlsListener::new(listener, acceptor), routes::router()).await
                }
            }
        })
}
