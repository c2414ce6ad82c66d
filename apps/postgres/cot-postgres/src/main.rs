//! Server under test: Cot with PostgreSQL.

mod body;
mod database;
mod project;
mod routes;

use std::future;

use cot::{Bootstrapper, project::run_at_with_shutdown};
use postgres_contract::{Deadpool, Settings, settings_or_exit};
use tokio::{net::TcpListener, runtime};

use crate::project::BenchProject;

fn main() -> cot::Result<()> {
    let settings = settings_or_exit();
    // What `#[cot::main]` expands to, with the requested number of workers and without a command line.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()
        .unwrap_or_else(|error| postgres_contract::cannot_start(error))
        .block_on(serve(&settings))
}

/// With a shutdown that never comes: by itself, Cot would wait for open connections at SIGTERM.
async fn serve(settings: &Settings) -> cot::Result<()> {
    let addr = settings.server.addr;
    let listener = TcpListener::bind(addr)
        .await
        .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error));
    let store = Deadpool::or_exit(settings);
    let project = Bootstrapper::new(BenchProject { store }).with_config_name("prod")?;
    run_at_with_shutdown(project.boot().await?, listener, future::pending()).await
}
