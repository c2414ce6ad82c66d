//! Server under test: Ohkami with service features. What its HTTP cannot do stands in `apps/ohkami`; and of a body, what
//! arrives with the head has to be all of it or to fill the buffer of 2 KiB: else what is still to come is read as zeros.

mod body;
mod events;
mod files;
mod middleware;
mod routes;
mod upload;
mod websocket;

use ohkami::Config;
use services_contract::settings_or_exit;

/// Above this, Ohkami itself refuses a body: unread, and without a word in the answer. Below it [`body::Limit`] does.
const MAX_READ_BYTES: usize = 16 * 1024 * 1024;

fn main() {
    let settings = settings_or_exit();
    let config = Config {
        request_payload_limit: MAX_READ_BYTES,
        ..Config::default()
    };
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        routes::app(&settings).howl_with(config, listener).await;
    });
}
