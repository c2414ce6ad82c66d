//! Server under test: Silent, set up as its examples `custom_tokio_runtime` and `custom_tokio_listener` do it: beyond them it
//! has a guide to extractors and docs.rs. In since 2.16.2, as a framework with a router and extractors of its own on hyper.
//!
//! HTTP/2 in cleartext is what its example `grpc` serves. Its TLS (`Listener::tls`, example `tls`) is left out: a
//! handshake is part of accepting, and `NetServer` gives up what it is accepting whenever another connection ends. That client
//! is cut off without a word. Besides, it makes one handshake after the other, and waits 50 ms to 2 s after one that failed.

mod routes;

use contract::{MAX_BODY_BYTES, Settings, Supports};

fn main() {
    let settings = contract::settings_or_exit(Supports {
        http2: true,
        ..Supports::HTTP1_CLEARTEXT
    });
    contract_tokio::block_on(settings.workers, serve(&settings));
}

/// Silent speaks whichever version of HTTP a client begins with. At a signal it cancels what is under way, unless
/// `with_shutdown` sets how long it waits.
async fn serve(settings: &Settings) {
    silent_app::server(settings.addr, MAX_BODY_BYTES)
        .await
        .serve(routes::routes())
        .await;
}
