//! Server under test: Thruster on its hyper server, which its examples of JSON and of query parameters use. (Its own HTTP
//! answers neither what is malformed nor a second request that comes with the first.)
//!
//! Its TLS is left out: it stands on rustls 0.22, whose rustls-webpki 0.102 is no longer mended (RUSTSEC-2026-0049, -0098,
//! -0099 and -0104).

mod body;
mod routes;

use std::net::{SocketAddr, TcpListener};

use contract::Supports;
use thruster::{HyperServer, ThrusterServer};

fn main() {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    check_address(settings.addr);
    // `start` takes a runtime with a worker for each cpu; `build` runs on whatever runtime it is given.
    contract_tokio::block_on(
        settings.workers,
        HyperServer::new(routes::app()).build(&settings.addr.ip().to_string(), settings.addr.port()),
    );
}

/// Thruster takes no listener, panics where it cannot listen, and shares the port of another Thruster, so the address
/// is tried beforehand.
fn check_address(addr: SocketAddr) {
    if addr.is_ipv6() {
        contract::cannot_start(format_args!("ADDR is {addr}: Thruster listens on IPv4 only"));
    }
    if let Err(error) = TcpListener::bind(addr) {
        contract::cannot_listen(addr, &error);
    }
}
