//! Server under test: Gotham with service features.

mod files;
mod middleware;
mod pieces;
mod routes;
mod websocket;

use gotham::StartError;
use services_contract::settings_or_exit;

fn main() {
    let settings = settings_or_exit();
    let (addr, threads) = (settings.server.addr, settings.server.workers.get());
    match gotham::start_with_num_threads(addr, middleware::layered(&settings), threads) {
        Ok(()) => {}
        Err(StartError::IoError(error)) => services_contract::cannot_listen(addr, &error),
        Err(other) => services_contract::cannot_start(other),
    }
}
