//! Server under test: Cot with service features.

// Each of the twenty layers is several futures of Cot's around the one before.
#![recursion_limit = "256"]

mod body;
mod files;
mod middleware;
mod project;
mod routes;
mod upload;

use services_contract::settings_or_exit;

use crate::project::BenchProject;

fn main() -> cot::Result<()> {
    let settings = settings_or_exit();
    let server = settings.server.clone();
    contract_tokio::block_on(server.workers, cot_app::serve(BenchProject { settings }, server.addr))
}
