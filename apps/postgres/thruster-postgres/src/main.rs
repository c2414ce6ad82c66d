//! Server under test: Thruster with PostgreSQL, on its hyper server.

mod routes;

use std::net::{SocketAddr, TcpListener};

use postgres_contract::{Deadpool, settings_or_exit};
use thruster::{HyperServer, ThrusterServer};

fn main() {
    let settings = settings_or_exit();
    let addr = settings.server.addr;
    check_address(addr);
    // `start` takes a runtime with a worker for each cpu; `build` runs on whatever runtime it is given.
    contract_tokio::block_on(settings.server.workers, async {
        let app = routes::app(Deadpool::or_exit(&settings));
        HyperServer::new(app).build(&addr.ip().to_string(), addr.port()).await;
    });
}

/// Thruster takes no listener, panics where it cannot listen, and shares the port of another Thruster, so the address
/// is tried beforehand.
fn check_address(addr: SocketAddr) {
    if addr.is_ipv6() {
        postgres_contract::cannot_start(format_args!("ADDR is {addr}: Thruster listens on IPv4 only"));
    }
    if let Err(error) = TcpListener::bind(addr) {
        postgres_contract::cannot_listen(addr, &error);
    }
}
