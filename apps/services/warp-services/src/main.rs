//! Server under test: warp with service features.

mod compressed;
mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use services_contract::settings_or_exit;

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        warp::serve(routes::routes(&settings)).incoming(listener).run().await;
    });
}
