//! What the variants of this server share: all but the engine that makes the page of fortunes.

mod routes;

use postgres_contract::{Deadpool, settings_or_exit};
use tokio::{net::TcpListener, runtime};

pub use crate::routes::{Failure, Page};

/// Serves, with the page that `page` makes.
pub fn run(page: Page) -> std::io::Result<()> {
    let settings = settings_or_exit();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let addr = settings.server.addr;
            let listener = TcpListener::bind(addr)
                .await
                .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error));
            let routes = routes::routes(Deadpool::or_exit(&settings), page);
            warp::serve(routes).incoming(listener).run().await;
        });
    Ok(())
}
