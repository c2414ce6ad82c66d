//! Server under test: Astra with service features. It is synchronous: a handler holds the thread that it runs on.

mod exchange;
mod pieces;
mod routes;

use std::{io, net::TcpListener};

use astra::Server;
use services_contract::settings_or_exit;

/// Each connection holds a thread for as long as it is open; `apps/astra` says more.
const THREADS_PER_WORKER: usize = 1024;

fn main() -> io::Result<()> {
    let settings = settings_or_exit();
    let addr = settings.server.addr;
    // Astra panics where it cannot listen, and takes no listener, so the address is tried beforehand.
    if let Err(error) = TcpListener::bind(addr) {
        services_contract::cannot_listen(addr, &error);
    }
    Server::bind(addr)
        .max_workers(settings.server.workers.get() * THREADS_PER_WORKER)
        .http1_only()
        .serve(|request, _info| routes::answer(&request))
}
