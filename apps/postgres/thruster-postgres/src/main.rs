//! Server under test: Thruster with PostgreSQL, on its hyper server.

mod routes;

use postgres_contract::{Deadpool, settings_or_exit};
use thruster::{HyperServer, ThrusterServer};
use thruster_app::check_address;

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
