//! Server under test: Viz with service features.

mod files;
mod middleware;
mod pieces;
mod routes;
mod websocket;

use std::io;

use services_contract::settings_or_exit;

fn main() -> io::Result<()> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        viz::serve(listener, routes::router(&settings)).await
    })
}
