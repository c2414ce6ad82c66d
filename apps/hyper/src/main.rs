//! Server under test: hyper, set up as its guide does it. No framework: what is between it and the others is what they
//! cost.

use contract::Supports;
use hyper_app::{Protocol, serve};
use tokio::{net::TcpListener, runtime};

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let protocol = Protocol::new(&settings);
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let listener = TcpListener::bind(settings.addr)
                .await
                .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error));
            serve(listener, protocol).await
        })
}
