//! What the variants of this server share: all but the engine that makes the page of fortunes.

mod routes;

use postgres_contract::{Deadpool, settings_or_exit};

pub use crate::routes::{Failure, Page};

/// Serves, with the page that `page` makes.
pub fn run(page: Page) {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        let routes = routes::routes(Deadpool::or_exit(&settings), page);
        warp::serve(routes).incoming(listener).run().await;
    });
}
