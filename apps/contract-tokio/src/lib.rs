//! How a server starts that runs on tokio, where its framework takes a runtime and a listener that are there already, or where there is none.

use std::{net::SocketAddr, num::NonZero, time::Duration};

use contract::{cannot_listen, cannot_start};
use tokio::{
    net::{TcpListener, TcpStream},
    runtime, task, time,
};

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

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

/// Accepts connections for ever, where there is no framework to do it. Each is a task of its own, so that a slow handshake holds back no other.
/// One that breaks is the client's affair: there is nobody to tell, and no log.
pub async fn accept<F: Future<Output: Send> + Send + 'static>(
    listener: TcpListener,
    serve: impl Fn(TcpStream) -> F,
) -> ! {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(AFTER_FAILED_ACCEPT).await;
            continue;
        };
        task::spawn(serve(stream));
    }
}
