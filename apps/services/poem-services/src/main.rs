//! Server under test: Poem with service features.

mod files;
mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use poem::listener::TcpListener;
use services_contract::settings_or_exit;

fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let (addr, routes) = (settings.server.addr, routes::routes(&settings));
    contract_tokio::block_on(
        settings.server.workers,
        poem_app::run(TcpListener::bind(addr), addr, routes),
    )
}
