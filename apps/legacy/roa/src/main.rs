//! Server under test: Roa, set up as its guide does it.
//!
//! Its TLS is left out: it stands on a rustls that is no longer mended.

mod payload;
mod routes;

use contract::Supports;
use roa::tcp::Listener as _;
use tokio::runtime;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = contract::settings_or_exit(Supports {
        http2: true, // for clients that begin with it
        ..Supports::HTTP1_CLEARTEXT
    });
    let app = routes::app()?;
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let (_, server) = app
                .bind(settings.addr)
                .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error));
            Ok(server.await?)
        })
}
