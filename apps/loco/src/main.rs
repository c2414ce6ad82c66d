//! Server under test: Loco without a database, booted as its command `start` does it. What it costs over `apps/axum` is its batteries: the
//! middleware that is on by default (a limit of bodies, panics, `ETag`, a request's id, `X-Powered-By`) and its own answers.
//!
//! No HTTP/2 and no TLS: its documentation offers neither.

mod app;
mod controller;
mod settings;

use std::net::IpAddr;

use contract::{Settings, Supports};
use loco_rs::{
    app::Hooks as _,
    boot::{self, ServeParams, StartMode},
    environment::Environment,
};

use app::App;

fn main() -> loco_rs::Result<()> {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    contract_tokio::block_on(settings.workers, start(&settings))
}

async fn start(settings: &Settings) -> loco_rs::Result<()> {
    let address = ServeParams {
        port: settings.addr.port().into(),
        binding: match settings.addr.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        },
    };
    let config = settings::config(&address)?;
    let booted = App::boot(StartMode::ServerOnly, &Environment::Production, config).await?;
    let no_banner = true;
    boot::start::<App>(booted, address, no_banner).await
}
