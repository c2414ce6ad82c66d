//! What the variants of this server share.

mod routes;

use contract::{MAX_BODY_BYTES, Settings, Tls};
use rocket::{
    Build, Config, Rocket,
    config::{CipherSuite, LogLevel, Shutdown, TlsConfig},
    data::{Limits, ToByteUnit},
    error::ErrorKind,
    tokio::runtime,
};

/// Serves for ever, or ends the process where it cannot begin.
pub fn launch(settings: &Settings, rocket: Rocket<Build>) -> std::io::Result<()> {
    // `#[launch]` takes the number of workers from Rocket's own environment only; for any other source its guide has
    // the runtime built by hand.
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers.get())
        .enable_all()
        .build()?;
    let rocket = rocket.mount("/", routes::routes());
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
#[must_use]
pub fn config(settings: &Settings) -> Config {
    Config {
        address: settings.addr.ip(),
        port: settings.addr.port(),
        workers: settings.workers.get(),
        limits: Limits::default().limit("json", MAX_BODY_BYTES.bytes()),
        tls: settings.tls.as_ref().map(tls),
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

/// TLS 1.3 only, as the other servers have it. Rocket offers both versions of HTTP by ALPN, and cannot be set to offer
/// one.
fn tls(files: &Tls) -> TlsConfig {
    TlsConfig::from_paths(&files.cert, &files.key).with_ciphers(CipherSuite::TLS_V13_SET)
}
