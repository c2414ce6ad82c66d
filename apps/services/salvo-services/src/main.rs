//! Server under test: Salvo with service features.

mod middleware;
mod pieces;
mod routes;
mod websocket;

use salvo::conn::TcpListener;
use services_contract::{MAX_BODY_BYTES, settings_or_exit};

fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let (addr, service) = (settings.server.addr, routes::service(&settings));
    contract_tokio::block_on(
        settings.server.workers,
        salvo_app::run(TcpListener::new(addr), addr, MAX_BODY_BYTES, service),
    )
}
