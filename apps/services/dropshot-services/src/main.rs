//! Server under test: Dropshot with service features.

mod body;
mod messages;
mod pieces;
mod routes;
mod upload;
mod websocket;

use std::error::Error;

use dropshot::{BuildError, CompressionConfig, ConfigDropshot, ConfigLogging, ConfigLoggingLevel, ServerBuilder};
use services_contract::{MAX_BODY_BYTES, Settings, settings_or_exit};
use slog::{Drain as _, Level, LevelFilter, Logger, o};

fn main() -> Result<(), Box<dyn Error>> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings))
}

async fn serve(settings: &Settings) -> Result<(), Box<dyn Error>> {
    // The level `info` is an access log, and `warn` reports each client that goes away. Dropshot's own logger looks at the level only
    // after a queue, to which every request would be written, for another thread to drop it.
    let log = ConfigLogging::StderrTerminal {
        level: ConfigLoggingLevel::Error,
    }
    .to_logger("dropshot-services-app")?;
    let log = Logger::root(LevelFilter::new(log, Level::Error).fuse(), o!());
    let config = ConfigDropshot {
        bind_address: settings.server.addr,
        // Applies only where a body is read.
        default_request_body_max_bytes: MAX_BODY_BYTES,
        // Of the whole server; an answer that is not to be compressed says so.
        compression: CompressionConfig::Gzip,
        ..ConfigDropshot::default()
    };
    let api = routes::api(settings.routes)?;
    match ServerBuilder::new(api, (), log).config(config).start() {
        Ok(server) => Ok(server.await?),
        Err(BuildError::BindError { address, error }) => services_contract::cannot_listen(address, &error),
        Err(error) => Err(error.into()),
    }
}
