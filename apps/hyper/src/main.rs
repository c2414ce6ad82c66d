//! Server under test: hyper, set up as its guide does it. No framework: what is between it and the others is what they
//! cost.

mod exchange;
mod routes;

use std::time::Duration;

use contract::Supports;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, runtime, task, time};

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    // What `#[tokio::main]` stands for, with the number of workers that was asked for.
    runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers.get())
        .enable_all()
        .build()?
        .block_on(async {
            let listener = TcpListener::bind(settings.addr)
                .await
                .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error));
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
