//! Server under test: nickel with service features.

mod body;
mod middleware;
mod routes;

use std::io;

use nickel::Options;
use services_contract::settings_or_exit;

/// As in nickel's plain server: every open connection holds a thread until it ends, so there must be more threads than a
/// load opens connections.
const CONNECTIONS: usize = 1024;

fn main() {
    let settings = settings_or_exit();
    let (addr, workers) = (settings.server.addr, settings.server.workers.get());
    let mut server = routes::server(&settings);
    server.options = Options::default()
        .output_on_listen(false)
        .thread_count(Some(CONNECTIONS + workers));
    if let Err(error) = server.listen(addr) {
        contract::cannot_listen(addr, &io::Error::other(error.to_string()));
    }
}
