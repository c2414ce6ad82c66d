//! Server under test: rama with service features.

mod body;
mod middleware;
mod pieces;
mod routes;
mod websocket;

use std::convert::Infallible;

use rama::{
    Layer as _, Service,
    error::BoxError,
    http::{Request, Response, server::HttpServer},
    rt::Executor,
    tcp::server::TcpListener,
};
use services_contract::{Settings, settings_or_exit};
use tokio::{net, runtime};

use crate::middleware::{FIVE, TWENTY};

fn main() -> Result<(), BoxError> {
    let settings = settings_or_exit();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(serve(&settings));
    Ok(())
}

async fn serve(settings: &Settings) {
    let addr = settings.server.addr;
    // By tokio, because rama's own `bind` fails with an error of any type.
    let listener = net::TcpListener::bind(addr)
        .await
        .unwrap_or_else(|error| services_contract::cannot_listen(addr, &error));
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
