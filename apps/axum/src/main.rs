//! Server under test: Axum, set up as its guide does it.

use contract::Supports;
use tokio::{net::TcpListener, runtime};

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let tls = axum_app::tls(&settings);
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let listener = TcpListener::bind(settings.addr)
                .await
                .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error));
            axum_app::serve(listener, tls).await
        })
}
