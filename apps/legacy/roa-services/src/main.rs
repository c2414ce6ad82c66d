//! Server under test: Roa with service features.

mod body;
mod compression;
mod middleware;
mod routes;
mod upload;
mod websocket;

use std::{error::Error, sync::Arc};

use roa::{App, Endpoint, tcp::Listener as _};
use services_contract::{Settings, five_times, settings_or_exit};
use tokio::runtime;

use crate::middleware::{count, with_body};

fn main() -> Result<(), Box<dyn Error>> {
    let settings = settings_or_exit();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(serve(&settings))
}

async fn serve(settings: &Settings) -> Result<(), Box<dyn Error>> {
    let (app, table) = (App::new().gate(with_body), routes::table(settings.routes)?);
    // Each number of layers is another type.
    match settings.layers {
        0 => listen(app.end(table), settings).await,
        5 => listen(five_times!(app, gate, count).end(table), settings).await,
        _ => {
            let ten = five_times!(five_times!(app, gate, count), gate, count);
            let twenty = five_times!(five_times!(ten, gate, count), gate, count);
            listen(twenty.end(table), settings).await
        }
    }
}

async fn listen<E>(app: App<(), Arc<E>>, settings: &Settings) -> Result<(), Box<dyn Error>>
where
    E: for<'a> Endpoint<'a, ()>,
{
    let addr = settings.server.addr;
    let (_, server) = app
        .bind(addr)
        .unwrap_or_else(|error| contract::cannot_listen(addr, &error));
    Ok(server.await?)
}
