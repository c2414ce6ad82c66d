//! What all servers of Rocket share, those with a database and with service features too, and what the variants of this one share.

#[cfg(feature = "server")]
mod routes;
#[cfg(feature = "server")]
mod server;

use contract::Settings;
use rocket::{
    Build, Config, Rocket,
    config::{LogLevel, Shutdown},
    data::Limits,
    error::ErrorKind,
};

#[cfg(feature = "server")]
pub use crate::{routes::routes, server::with_protocols};

/// Serves for ever, or ends the process where it cannot begin.
pub fn launch(settings: &Settings, rocket: Rocket<Build>) {
    // `#[launch]` takes the number of workers from Rocket's own environment only; for any other source its guide has
    // the runtime built by hand.
    if let Err(error) = contract_tokio::block_on(settings.workers, rocket.launch()) {
        match error.kind() {
            ErrorKind::Bind(error) => contract::cannot_listen(settings.addr, error),
            other => contract::cannot_start(other),
        }
    }
}

/// Starts from the defaults of a release build whatever the build, so that a `Rocket.toml` or a `ROCKET_…` variable of
/// the machine changes no figure.
#[must_use]
pub fn config(settings: &Settings, limits: Limits) -> Config {
    Config {
        address: settings.addr.ip(),
        port: settings.addr.port(),
        workers: settings.workers.get(),
        limits,
        log_level: LogLevel::Off,
        // Without a handler, SIGTERM and Ctrl-C end the process at once; with one, open connections have seconds left.
        shutdown: Shutdown {
            ctrlc: false,
            signals: [].into(),
            ..Shutdown::default()
        },
        ..Config::release_default()
    }
}
