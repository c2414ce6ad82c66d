//! Server under test: Dropshot with PostgreSQL.

mod body;
mod messages;
mod routes;

use std::error::Error;

use dropshot::{BuildError, ConfigDropshot, ConfigLogging, ConfigLoggingLevel, ServerBuilder};
use postgres_contract::{Deadpool, MAX_BODY_BYTES, Settings, settings_or_exit};
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
    .to_logger("dropshot-postgres-app")?;
    let log = Logger::root(LevelFilter::new(log, Level::Error).fuse(), o!());
    // Applies only where a body is read.
    let config = ConfigDropshot {
        bind_address: settings.server.addr,
        default_request_body_max_bytes: MAX_BODY_BYTES,
        ..ConfigDropshot::default()
    };
    // The pool is what Dropshot calls the context: every handler is given it with its request.
    let server = ServerBuilder::new(routes::api()?, Deadpool::or_exit(settings), log);
    match server.config(config).start() {
        Ok(server) => Ok(server.await?),
        Err(BuildError::BindError { address, error }) => postgres_contract::cannot_listen(address, &error),
        Err(error) => Err(error.into()),
    }
}
