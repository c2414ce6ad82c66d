//! Server under test: Dropshot with PostgreSQL.

mod messages;
mod routes;

use std::error::Error;

use dropshot::ConfigDropshot;
use postgres_contract::{Deadpool, MAX_BODY_BYTES, settings_or_exit};

fn main() -> Result<(), Box<dyn Error>> {
    let settings = settings_or_exit();
    // Applies only where a body is read.
    let config = ConfigDropshot {
        bind_address: settings.server.addr,
        default_request_body_max_bytes: MAX_BODY_BYTES,
        ..ConfigDropshot::default()
    };
    // The pool is what Dropshot calls the context: every handler is given it with its request.
    contract_tokio::block_on(settings.server.workers, async {
        dropshot_app::serve(routes::api()?, Deadpool::or_exit(&settings), config, None).await
    })
}
