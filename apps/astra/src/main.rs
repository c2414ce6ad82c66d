//! Server under test: Astra, set up as its guide does it. It is synchronous: a handler holds the thread that it runs on.
//!
//! No TLS: it has none, and takes no listener that could have it. Its HTTP/2 in cleartext leaves requests without an answer.

mod exchange;
mod routes;

use std::{io, net::TcpListener};

use astra::Server;
use contract::Supports;

/// Each connection holds a thread for as long as it is open: beyond the largest
/// number of threads a connection waits until another ends. Astra's own limit of 15 for each cpu is less than the
/// connections of a load generator; threads that no connection needs are not started.
const THREADS_PER_WORKER: usize = 1024;

fn main() -> io::Result<()> {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    // Astra panics where it cannot listen, and takes no listener, so the address is tried beforehand.
    if let Err(error) = TcpListener::bind(settings.addr) {
        contract::cannot_listen(settings.addr, &error);
    }
    Server::bind(settings.addr)
        .max_workers(settings.workers.get() * THREADS_PER_WORKER)
        .http1_only()
        .serve(|request, _info| routes::answer(request))
}
