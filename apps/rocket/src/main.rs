//! Server under test: Rocket, set up as its guide does it.

mod routes;

use contract::{MAX_BODY_BYTES, Settings, Supports};
use rocket::{
    Config,
    config::{LogLevel, Shutdown},
    data::{Limits, ToByteUnit},
    error::ErrorKind,
    tokio::runtime,
};

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    // `#[launch]` takes the number of workers from Rocket's own environment only; for any other source its guide has
    // the runtime built by hand.
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers.get())
        .enable_all()
        .build()?;
    let rocket = rocket::custom(config(&settings)).mount("/", routes::routes());
    if let Err(error) = runtime.block_on(rocket.launch()) {
        match error.kind() {
            ErrorKind::Bind(error) => contract::cannot_listen(settings.addr, error),
            other => contract::cannot_start(other),
        }
    }
    Ok(())
}

/// Starts from the defaults of a release build whatever the build, so that a `Rocket.toml` or a `ROCKET_…` variable of
/// the machine changes no figure.
fn config(settings: &Settings) -> Config {
    Config {
        address: settings.addr.ip(),
        port: settings.addr.port(),
        workers: settings.workers.get(),
        limits: Limits::default().limit("json", MAX_BODY_BYTES.bytes()),
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
