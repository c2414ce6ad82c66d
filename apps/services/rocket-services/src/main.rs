//! Server under test: Rocket with service features.

mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use rocket::{
    Config,
    config::{LogLevel, Shutdown},
    data::{Limits, ToByteUnit as _},
    error::ErrorKind,
    fs::{FileServer, Options},
    tokio::runtime,
};
use services_contract::{MAX_BODY_BYTES, MAX_UPLOAD_BYTES, Settings, settings_or_exit};

fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    // `#[launch]` takes the number of workers from Rocket's own environment only; for any other source its guide has
    // the runtime built by hand.
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?;
    // Without this option, the folder has to be there, even for a run in which no file is requested.
    let files = FileServer::new(&settings.files, Options::default() | Options::Missing);
    let rocket = rocket::custom(config(&settings))
        .mount("/", routes::routes(settings.routes))
        .mount("/static", files);
    let rocket = middleware::layered(rocket, settings.layers);
    if let Err(error) = runtime.block_on(rocket.launch()) {
        match error.kind() {
            ErrorKind::Bind(error) => services_contract::cannot_listen(settings.server.addr, error),
            other => services_contract::cannot_start(other),
        }
    }
    Ok(())
}

/// Starts from the defaults of a release build whatever the build, so that a `Rocket.toml` or a `ROCKET_…` variable of
/// the machine changes no figure.
fn config(settings: &Settings) -> Config {
    Config {
        address: settings.server.addr.ip(),
        port: settings.server.addr.port(),
        workers: settings.server.workers.get(),
        limits: Limits::default()
            .limit("json", MAX_BODY_BYTES.bytes())
            .limit("data-form", MAX_UPLOAD_BYTES.bytes()),
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
