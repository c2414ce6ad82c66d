//! How a server starts that runs on tokio, where its framework takes a runtime and a listener that are there already.

use std::{net::SocketAddr, num::NonZero};

use contract::{cannot_listen, cannot_start};
use tokio::{net::TcpListener, runtime};

/// Serves on what `#[tokio::main]` expands to, with the requested number of workers; or the end of the process.
pub fn block_on<F: Future>(workers: NonZero<usize>, server: F) -> F::Output {
    runtime::Builder::new_multi_thread()
        .worker_threads(workers.get())
        .enable_all()
        .build()
        .unwrap_or_else(|error| cannot_start(error))
        .block_on(server)
}

/// A listener at the address, or the end of the process.
pub async fn listen(addr: SocketAddr) -> TcpListener {
    TcpListener::bind(addr)
        .await
        .unwrap_or_else(|error| cannot_listen(addr, &error))
}
