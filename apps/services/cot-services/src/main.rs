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

use crate::project::BenchProject;

fn main() -> cot::Result<()> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(settings))
}

/// With a shutdown that never comes: by itself, Cot would wait for open connections at SIGTERM.
async fn serve(settings: Settings) -> cot::Result<()> {
    let listener = contract_tokio::listen(settings.server.addr).await;
    let bootstrapper = Bootstrapper::new(BenchProject { settings })
        .with_config_name("prod")?
        .boot()
        .await?;
    run_at_with_shutdown(bootstrapper, listener, future::pending()).await
}
