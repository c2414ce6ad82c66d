//! Server under test: Cot with PostgreSQL.

mod body;
mod database;
mod project;
mod routes;

use std::future;

use cot::{Bootstrapper, project::run_at_with_shutdown};
use postgres_contract::{Deadpool, Settings, settings_or_exit};

use crate::project::BenchProject;

fn main() -> cot::Result<()> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings))
}

/// With a shutdown that never comes: by itself, Cot would wait for open connections at SIGTERM.
async fn serve(settings: &Settings) -> cot::Result<()> {
    let listener = contract_tokio::listen(settings.server.addr).await;
    let store = Deadpool::or_exit(settings);
    let project = Bootstrapper::new(BenchProject { store }).with_config_name("prod")?;
    run_at_with_shutdown(project.boot().await?, listener, future::pending()).await
}
