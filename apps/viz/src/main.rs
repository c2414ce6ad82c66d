//! Server under test: Viz, set up as its guide does it.

mod routes;

use std::{io, sync::Arc};

use contract::Supports;
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
    contract_tokio::block_on(settings.workers, async {
        let listener = contract_tokio::listen(settings.addr).await;
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
