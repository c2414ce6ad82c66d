//! Server under test: Cot with PostgreSQL.

mod database;
mod project;
mod routes;

use postgres_contract::{Deadpool, settings_or_exit};

use crate::project::BenchProject;

fn main() -> cot::Result<()> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let store = Deadpool::or_exit(&settings);
        cot_app::serve(BenchProject { store }, settings.server.addr).await
    })
}
