//! Server under test: Thruster with service features, on its hyper server.

mod body;
mod files;
mod pieces;
mod routes;

use services_contract::settings_or_exit;
use thruster::{HyperServer, ThrusterServer};
use thruster_app::check_address;

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
