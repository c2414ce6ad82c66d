//! Server under test: Ohkami with service features. What its HTTP cannot do stands in `apps/ohkami`; and of a body, what
//! arrives with the head has to be all of it or to fill the buffer of 2 KiB: else what is still to come is read as zeros.

mod events;
mod files;
mod middleware;
mod routes;
mod upload;
mod websocket;

use ohkami_app::config;
use services_contract::settings_or_exit;

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        routes::app(&settings).howl_with(config(), listener).await;
    });
}
