//! Server under test: hyper with PostgreSQL. No framework: bodies go in and out by the hands of `apps/hyper`.

mod routes;

use std::time::Duration;

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use postgres_contract::{Deadpool, settings_or_exit};
use tokio::{net::TcpListener, runtime, task, time};

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    // What `#[tokio::main]` expands to, with the requested number of workers.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.server.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let addr = settings.server.addr;
            let listener = TcpListener::bind(addr)
                .await
                .unwrap_or_else(|error| postgres_contract::cannot_listen(addr, &error));
            serve(listener, Deadpool::or_exit(&settings)).await
        })
}

async fn serve(listener: TcpListener, store: Deadpool) -> ! {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(AFTER_FAILED_ACCEPT).await;
            continue;
        };
        let store = store.clone();
        task::spawn(async move {
            // A connection that breaks is the client's affair: there is nobody to tell, and no log.
            let _ = http1::Builder::new()
                .serve_connection(
                    TokioIo::new(stream),
                    service_fn(|request| routes::answer(request, &store)),
                )
                .await;
        });
    }
}
