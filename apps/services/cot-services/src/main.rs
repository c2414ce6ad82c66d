//! Server under test: Cot with service features.

// Each of the twenty layers is several futures of Cot's around the one before.
#![recursion_limit = "256"]

mod body;
mod files;
mod middleware;
mod project;
mod routes;
mod upload;

use std::future;

use cot::{Bootstrapper, project::run_at_with_shutdown};
use services_contract::{Settings, settings_or_exit};
use tokio::{net::TcpListener, runtime};

use crate::project::BenchProject;

fn main() -> cot::Result<()> {
    let settings = settings_or_exit();
    // What `#[cot::main]` expands to, with the requested number of workers and without a command line.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()
        .unwrap_or_else(|error| services_contract::cannot_start(error))
        .block_on(serve(settings))
}

/// With a shutdown that never comes: by itself, Cot would wait for open connections at SIGTERM.
async fn serve(settings: Settings) -> cot::Result<()> {
    let addr = settings.server.addr;
    let listener = TcpListener::bind(addr)
        .await
        .unwrap_or_else(|error| services_contract::cannot_listen(addr, &error));
    let bootstrapper = Bootstrapper::new(BenchProject { settings })
        .with_config_name("prod")?
        .boot()
        .await?;
    run_at_with_shutdown(bootstrapper, listener, future::pending()).await
}
