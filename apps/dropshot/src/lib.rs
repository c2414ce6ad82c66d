//! What the variants of this server share: all but who runs the handlers.

mod body;
mod messages;
mod routes;

use std::error::Error;

use contract::{MAX_BODY_BYTES, Settings, Supports};
use dropshot::{
    BuildError, ConfigDropshot, ConfigLogging, ConfigLoggingLevel, ConfigTls, HandlerTaskMode, ServerBuilder,
};
use slog::{Drain as _, Level, LevelFilter, Logger, o};

/// # Errors
///
/// The server failed.
pub fn run(handlers: HandlerTaskMode) -> Result<(), Box<dyn Error>> {
    let settings = contract::settings_or_exit(Supports {
        http2: false,
        ..Supports::EVERYTHING
    });
    contract_tokio::block_on(settings.workers, serve(&settings, handlers))
}

async fn serve(settings: &Settings, handlers: HandlerTaskMode) -> Result<(), Box<dyn Error>> {
    // The level `info` is an access log, and `warn` reports each client that goes away. Dropshot's own logger looks at the level only
    // after a queue, to which every request would be written, for another thread to drop it.
    let log = ConfigLogging::StderrTerminal {
        level: ConfigLoggingLevel::Error,
    }
    .to_logger("dropshot-app")?;
    let log = Logger::root(LevelFilter::new(log, Level::Error).fuse(), o!());
    // Applies only where a body is read.
    let config = ConfigDropshot {
        bind_address: settings.addr,
        default_request_body_max_bytes: MAX_BODY_BYTES,
        default_handler_task_mode: handlers,
        ..ConfigDropshot::default()
    };
    let tls = settings.tls.as_ref();
    let tls = tls.map(|tls| ConfigTls::Dynamic(contract::tls_config_or_exit(tls, settings.http)));
    let server = ServerBuilder::new(routes::api()?, (), log)
        .config(config)
        .tls(tls)
        .start();
    match server {
        Ok(server) => Ok(server.await?),
        Err(BuildError::BindError { address, error }) => contract::cannot_listen(address, &error),
        Err(error) => Err(error.into()),
    }
}
