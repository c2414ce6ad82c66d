//! The reference with a database: the server that every run with PostgreSQL is compared with, as `apps/reference` is for servers that
//! work alone. It is frozen, dependencies included (a workspace of its own, with its own `Cargo.lock`): when it moves, the machine or
//! the database moved. A change to anything in this folder begins a new series, and nothing but that is worth one.
//!
//! It was `hyper-postgres` with tokio-postgres and deadpool when it was frozen, and its resemblance to that may go.

mod exchange;
mod routes;
mod settings;
mod store;

use std::time::Duration;

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, runtime, task, time};

use crate::{settings::Settings, store::Store};

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

fn main() -> std::io::Result<()> {
    let settings = Settings::from_env_or_exit();
    let store = Store::new(&settings.url, settings.connections.get())
        .unwrap_or_else(|error| settings::exit(format_args!("DATABASE_URL: {error}")));
    // What `#[tokio::main]` stands for, with the number of workers that was asked for.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let listener = TcpListener::bind(settings.addr).await.unwrap_or_else(|error| {
                settings::exit(format_args!("cannot listen on ADDR {}: {error}", settings.addr))
            });
            serve(listener, store).await
        })
}

async fn serve(listener: TcpListener, store: Store) -> ! {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(AFTER_FAILED_ACCEPT).await;
            continue;
        };
        let store = store.clone();
        task::spawn(async move {
            // A connection that breaks is the client's affair: there is nobody to tell, and no log.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(
                    TokioIo::new(stream),
                    service_fn(|request| routes::answer(request, &store)),
                )
                .await;
        });
    }
}
