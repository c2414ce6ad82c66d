//! Server under test: nickel, set up as its guide does it.
//!
//! Its engine, hyper 0.10, closes the connection to what is no request of HTTP, and sends a body after HEAD as well.
//!
//! No TLS: its example of it wants a feature `ssl`, which nickel no longer has.

mod payload;
mod routes;

use std::io;

use contract::Supports;
use nickel::Options;

/// Every open connection holds a thread until it ends, so there must be more threads than a load opens connections: the
/// most are the 1,000 of the profile `stress`. Not so many for each worker, as Astra has: nickel starts all of them at
/// once, a thousand are 10 MB before the first request, and 64 cpus would need more than a system allows.
const CONNECTIONS: usize = 1024;

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
