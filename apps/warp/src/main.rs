//! Server under test: warp, set up as its documentation does it.

mod routes;
mod tls;

use contract::Supports;
use tokio::{net::TcpListener, runtime};

fn main() -> std::io::Result<()> {
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
                None => warp::serve(routes::routes()).incoming(listener).run().await,
                Some(config) => tls::serve(listener, config, routes::routes()).await,
            }
        });
    Ok(())
}
