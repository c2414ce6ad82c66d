//! Server under test: Dropshot with service features.

mod body;
mod messages;
mod pieces;
mod routes;
mod upload;
mod websocket;

use std::error::Error;

use dropshot::{CompressionConfig, ConfigDropshot};
use services_contract::{MAX_BODY_BYTES, settings_or_exit};

fn main() -> Result<(), Box<dyn Error>> {
    let settings = settings_or_exit();
    let config = ConfigDropshot {
        bind_address: settings.server.addr,
        // Applies only where a body is read.
        default_request_body_max_bytes: MAX_BODY_BYTES,
        // Of the whole server; an answer that is not to be compressed says so.
        compression: CompressionConfig::Gzip,
        ..ConfigDropshot::default()
    };
    let api = routes::api(settings.routes)?;
    contract_tokio::block_on(settings.server.workers, dropshot_app::serve(api, (), config, None))
}
