//! Server under test: rama with service features.

mod middleware;
mod pieces;
mod routes;
mod websocket;

use std::convert::Infallible;

use rama::{
    Layer as _, Service,
    http::{Request, Response, server::HttpServer},
    rt::Executor,
    tcp::server::TcpListener,
};
use services_contract::{Settings, settings_or_exit};

use crate::middleware::{FIVE, TWENTY};

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, serve(&settings));
}

async fn serve(settings: &Settings) {
    // By tokio, because rama's own `bind` fails with an error of any type.
    let listener = contract_tokio::listen(settings.server.addr).await;
    let router = routes::router(settings);
    // Each number of layers is another type.
    match settings.layers {
        0 => listen(listener.into(), router).await,
        5 => listen(listener.into(), FIVE.into_layer(router)).await,
        _ => listen(listener.into(), TWENTY.into_layer(router)).await,
    }
}

async fn listen(listener: TcpListener, service: impl Service<Request, Output = Response, Error = Infallible>) {
    listener
        .serve(HttpServer::auto(Executor::default()).service(service))
        .await;
}
