//! Server under test: hyperlane with PostgreSQL.

mod answers;
mod database;
mod routes;

use hyperlane::{RequestConfig, Server, ServerConfig, hyperlane};
use postgres_contract::{Deadpool, MAX_BODY_BYTES, Settings, settings_or_exit};

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings));
}

/// `server` has all that is registered by an attribute.
#[hyperlane(server: Server, server_config: ServerConfig, request_config: RequestConfig)]
async fn serve(settings: &Settings) {
    let addr = settings.server.addr;
    database::keep(Deadpool::or_exit(settings));
    server_config.set_address(addr.to_string());
    request_config.set_max_body_size(MAX_BODY_BYTES);
    server.server_config(server_config).request_config(request_config);
    hyperlane_app::register(&mut server);
    hyperlane_app::run(&server, addr).await;
}
