//! The reference: the server that every run is compared with, so that a change of the machine can be told from a change
//! of a framework. It is frozen, dependencies included (a workspace of its own, with its own `Cargo.lock`): when it
//! moves, the machine moved. A change to anything in this folder begins a new series, and nothing but that is worth one.
//!
//! It was `apps/hyper` when it was frozen, and its resemblance to that may go.

mod exchange;
mod routes;
mod settings;
mod workloads;

use std::time::Duration;

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, runtime, task, time};

use crate::settings::Settings;

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

fn main() -> std::io::Result<()> {
    let settings = Settings::from_env_or_exit();
    // What `#[tokio::main]` stands for, with the number of workers that was asked for.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let listener = TcpListener::bind(settings.addr).await.unwrap_or_else(|error| {
                settings::exit(format_args!("cannot listen on ADDR {}: {error}", settings.addr))
            });
            serve(listener).await
        })
}

async fn serve(listener: TcpListener) -> ! {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(AFTER_FAILED_ACCEPT).await;
            continue;
        };
        task::spawn(async move {
            // A connection that breaks is the client's affair: there is nobody to tell, and no log.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), service_fn(routes::answer))
                .await;
        });
    }
}
