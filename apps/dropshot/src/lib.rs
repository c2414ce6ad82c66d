//! What all servers of Dropshot share, those with a database and with service features too, and what the variants of this one share: all but
//! who runs the handlers.

mod body;
mod message;
#[cfg(feature = "server")]
mod routes;
#[cfg(feature = "server")]
mod server;

use std::error::Error;

use dropshot::{
    ApiDescription, BuildError, ConfigDropshot, ConfigLogging, ConfigLoggingLevel, ConfigTls, ServerBuilder,
    ServerContext,
};
use slog::{Drain as _, Level, LevelFilter, Logger, o};

pub use crate::{
    body::{Json, refuse_above},
    message::Message,
};
#[cfg(feature = "server")]
pub use server::run;

/// # Errors
///
/// The server failed.
pub async fn serve<C: ServerContext>(
    api: ApiDescription<C>,
    context: C,
    config: ConfigDropshot,
    tls: Option<ConfigTls>,
) -> Result<(), Box<dyn Error>> {
    // The level `info` is an access log, and `warn` reports each client that goes away. Dropshot's own logger looks at the level only
    // after a queue, to which every request would be written, for another thread to drop it.
    let log = ConfigLogging::StderrTerminal {
        level: ConfigLoggingLevel::Error,
    }
    .to_logger("dropshot-app")?;
    let log = Logger::root(LevelFilter::new(log, Level::Error).fuse(), o!());
    let server = ServerBuilder::new(api, context, log).config(config).tls(tls).start();
    match server {
        Ok(server) => Ok(server.await?),
        Err(BuildError::BindError { address, error }) => contract::cannot_listen(address, &error),
        Err(error) => Err(error.into()),
    }
}
