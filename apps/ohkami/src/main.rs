//! Server under test: Ohkami, set up as its guide does it.
//!
//! It wants the head of a request in one piece, takes a request that was sent ahead for part of the one before it, and does
//! not know bodies in chunks. Of a body that begins with a zero byte it loses what came along with the head.
//! Over TLS it makes one handshake after the other: a client that is silent holds up all that come after it.

mod routes;

use contract::{Http, Supports};
use ohkami_app::config;

fn main() {
    let settings = contract::settings_or_exit(Supports {
        http1_tls: true,
        ..Supports::HTTP1_CLEARTEXT
    });
    let tls = settings.tls.as_ref();
    let tls = tls.map(|tls| contract::tls_config_or_exit(tls, Http::One));
    contract_tokio::block_on(settings.workers, async {
        let listener = contract_tokio::listen(settings.addr).await;
        match tls {
            Some(tls) => routes::app().howls_with(config(), listener, tls).await,
            None => routes::app().howl_with(config(), listener).await,
        }
    });
}
