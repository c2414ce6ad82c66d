//! Server under test: nickel, set up as its guide does it.
//!
//! Its engine, hyper 0.10, closes the connection to what is no request of HTTP, and sends a body after HEAD as well.

mod payload;
mod routes;

use std::io;

use contract::Supports;
use nickel::Options;

/// Every open connection holds a thread until it ends, so there must be more threads than a test opens connections.
const CONNECTIONS: usize = 512;

fn main() {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    let mut server = routes::server();
    server.options = Options::default()
        .output_on_listen(false)
        .thread_count(Some(CONNECTIONS + settings.workers.get()));
    if let Err(error) = server.listen(settings.addr) {
        contract::cannot_listen(settings.addr, &io::Error::other(error.to_string()));
    }
}
