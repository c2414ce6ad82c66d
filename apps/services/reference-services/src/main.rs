//! The reference of service features: the server that every run of these kinds of work is compared with, as `apps/reference` is
//! for the plain endpoints. It is frozen, dependencies included (a workspace of its own, with its own `Cargo.lock`): when it moves, the
//! machine moved. A change to anything in this folder begins a new series, and nothing but that is worth one.
//!
//! It was written by hand on hyper when it was frozen: a router of Axum's, layers that are functions, forms by multer, what
//! comes back over sockets by fastwebsockets, and everything else in one `match`.

mod document;
mod exchange;
mod files;
mod listing;
mod order;
mod pieces;
mod routes;
mod settings;
mod token;
mod upload;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, runtime, task, time};

use crate::{routes::Routes, settings::Settings, token::Checker};

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

/// What every request is answered with.
struct Server {
    routes: Routes,
    layers: u32,
    checker: Checker,
    files: PathBuf,
}

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
            let routes = Routes::new(settings.routes)
                .unwrap_or_else(|error| settings::exit(format_args!("ROUTES {}: {error}", settings.routes)));
            serve(
                listener,
                Arc::new(Server {
                    routes,
                    layers: settings.layers,
                    checker: Checker::new(),
                    files: settings.files,
                }),
            )
            .await
        })
}

async fn serve(listener: TcpListener, server: Arc<Server>) -> ! {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(AFTER_FAILED_ACCEPT).await;
            continue;
        };
        // Chunks and messages go out when they are made, and not when the one before has been acknowledged.
        let _ = stream.set_nodelay(true);
        let server = Arc::clone(&server);
        task::spawn(async move {
            // A connection that breaks is the client's affair: there is nobody to tell, and no log.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(
                    TokioIo::new(stream),
                    service_fn(|request| routes::answer(request, &server)),
                )
                .with_upgrades()
                .await;
        });
    }
}
