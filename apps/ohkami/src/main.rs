//! Server under test: Ohkami, set up as its guide does it.
//!
//! It wants the head of a request in one piece, takes a request that was sent ahead for part of the one before it, and does
//! not know bodies in chunks. Of a body that begins with a zero byte it loses what came along with the head.
//! Over TLS it makes one handshake after the other: a client that is silent holds up all that come after it.

mod body;
mod routes;

use contract::{Http, Supports};
use ohkami::Config;
use tokio::{net::TcpListener, runtime};

/// Above this, Ohkami itself refuses a body: unread, and without a word in the answer. Below it [`body::Limit`] does.
const MAX_READ_BYTES: usize = 16 * 1024 * 1024;

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports {
        http1_tls: true,
        ..Supports::HTTP1_CLEARTEXT
    });
    let tls = settings.tls.as_ref();
    let tls = tls.map(|tls| contract::tls_config_or_exit(tls, Http::One));
    let config = Config {
        request_payload_limit: MAX_READ_BYTES,
        ..Config::default()
    };
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
                Some(tls) => routes::app().howls_with(config, listener, tls).await,
                None => routes::app().howl_with(config, listener).await,
            }
        });
    Ok(())
}
