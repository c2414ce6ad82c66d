//! Server under test: Astra with PostgreSQL. It is synchronous, and so are its driver and its pool: `postgres` in a pool of r2d2, as
//! the documentation of `r2d2_postgres` shows it.

mod routes;
mod store;

use std::{io, net::TcpListener};

use astra::Server;
use postgres_contract::settings_or_exit;

use crate::store::Store;

/// Each connection holds a thread for as long as it is open; `apps/astra` says more.
const THREADS_PER_WORKER: usize = 1024;

fn main() -> io::Result<()> {
    let settings = settings_or_exit();
    let addr = settings.server.addr;
    // Astra panics where it cannot listen, and takes no listener, so the address is tried beforehand.
    if let Err(error) = TcpListener::bind(addr) {
        postgres_contract::cannot_listen(addr, &error);
    }
    let store = Store::or_exit(&settings);
    Server::bind(addr)
        .max_workers(settings.server.workers.get() * THREADS_PER_WORKER)
        .http1_only()
        .serve(move |request, _info| routes::answer(request, &store))
}
