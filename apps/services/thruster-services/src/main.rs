//! Server under test: Thruster with service features, on its hyper server.

mod body;
mod files;
mod pieces;
mod routes;

use std::net::{SocketAddr, TcpListener};

use services_contract::settings_or_exit;
use thruster::{HyperServer, ThrusterServer};

fn main() {
    let settings = settings_or_exit();
    let addr = settings.server.addr;
    check_address(addr);
    files::set_folder(&settings.files);
    // `start` takes a runtime with a worker for each cpu; `build` runs on whatever runtime it is given.
    contract_tokio::block_on(
        settings.server.workers,
        HyperServer::new(routes::app(&settings)).build(&addr.ip().to_string(), addr.port()),
    );
}

/// Thruster takes no listener, panics where it cannot listen, and shares the port of another Thruster, so the address
/// is tried beforehand.
fn check_address(addr: SocketAddr) {
    if addr.is_ipv6() {
        services_contract::cannot_start(format_args!("ADDR is {addr}: Thruster listens on IPv4 only"));
    }
    if let Err(error) = TcpListener::bind(addr) {
        services_contract::cannot_listen(addr, &error);
    }
}
