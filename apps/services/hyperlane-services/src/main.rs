//! Server under test: hyperlane with service features. Its routes and hooks are registered by the methods of its server, because
//! attributes cannot register a number of them that is known only when it starts.

mod answers;
mod compressed;
mod events;
mod hooks;
mod routes;
mod upload;

use hyperlane::{RequestConfig, Server, ServerConfig};
use services_contract::{MAX_UPLOAD_BYTES, Settings, settings_or_exit};

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings));
}

async fn serve(settings: &Settings) {
    let addr = settings.server.addr;
    let mut server_config = ServerConfig::default();
    server_config.set_address(addr.to_string());
    // One limit for the whole server; routes of smaller bodies look at the length by themselves.
    let mut request_config = RequestConfig::default();
    request_config.set_max_body_size(MAX_UPLOAD_BYTES);
    let mut server = Server::default();
    server.server_config(server_config).request_config(request_config);
    hooks::register(&mut server, settings);
    routes::register(&mut server, settings);
    hyperlane_app::run(&server, addr).await;
}
