//! Server under test: Gotham with PostgreSQL.

mod routes;

use gotham::StartError;
use postgres_contract::{Deadpool, settings_or_exit};

fn main() {
    let settings = settings_or_exit();
    let (addr, threads) = (settings.server.addr, settings.server.workers.get());
    let router = routes::router(Deadpool::or_exit(&settings));
    match gotham::start_with_num_threads(addr, router, threads) {
        Ok(()) => {}
        Err(StartError::IoError(error)) => postgres_contract::cannot_listen(addr, &error),
        Err(other) => postgres_contract::cannot_start(other),
    }
}
