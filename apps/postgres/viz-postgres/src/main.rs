//! Server under test: Viz with PostgreSQL.

mod routes;

use std::io;

use postgres_contract::{Deadpool, settings_or_exit};

fn main() -> io::Result<()> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        viz::serve(listener, routes::router(Deadpool::or_exit(&settings))).await
    })
}
