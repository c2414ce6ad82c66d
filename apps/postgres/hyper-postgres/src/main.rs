//! Server under test: hyper with PostgreSQL. No framework: bodies go in and out by the hands of `apps/hyper`.

mod routes;

use std::time::Duration;

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use postgres_contract::{Deadpool, settings_or_exit};
use tokio::{net::TcpListener, task, time};

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
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
