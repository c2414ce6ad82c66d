//! Server under test: Ohkami with PostgreSQL.

mod routes;

use postgres_contract::{Deadpool, settings_or_exit};

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        routes::app(Deadpool::or_exit(&settings)).howl(listener).await;
    });
}
