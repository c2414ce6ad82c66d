//! Server under test: Silent with service features.

mod middleware;
mod pieces;
mod routes;

use services_contract::{MAX_BODY_BYTES, Settings, settings_or_exit};

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings));
}

async fn serve(settings: &Settings) {
    silent_app::server(settings.server.addr, MAX_BODY_BYTES)
        .await
        .serve(routes::routes(settings))
        .await;
}
