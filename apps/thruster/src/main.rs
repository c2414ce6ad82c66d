//! Server under test: Thruster on its hyper server, which its examples of JSON and of query parameters use. (Its own HTTP
//! answers neither what is malformed nor a second request that comes with the first.)
//!
//! Its TLS is left out: it stands on rustls 0.22, whose rustls-webpki 0.102 is no longer mended (RUSTSEC-2026-0049, -0098,
//! -0099 and -0104).

mod body;
mod routes;

use contract::Supports;
use thruster::{HyperServer, ThrusterServer};
use thruster_app::check_address;

fn main() {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    check_address(settings.addr);
    // `start` takes a runtime with a worker for each cpu; `build` runs on whatever runtime it is given.
    contract_tokio::block_on(
        settings.workers,
        HyperServer::new(routes::app()).build(&settings.addr.ip().to_string(), settings.addr.port()),
    );
}
