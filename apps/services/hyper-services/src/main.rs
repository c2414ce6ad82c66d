//! Server under test: hyper with service features. No framework: answers are made by the hands of `apps/hyper`.

mod body;
mod middleware;
mod pieces;
mod routes;

use std::{convert::Infallible, time::Duration};

use hyper::{
    Request,
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::rt::TokioIo;
use services_contract::settings_or_exit;
use tokio::{net::TcpListener, task, time};

use crate::pieces::Reply;

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        if settings.layers == 0 {
            serve(listener, service_fn(routes::answer)).await
        } else {
            serve(listener, middleware::layered(settings.layers)).await
        }
    })
}

async fn serve<S>(listener: TcpListener, service: S) -> !
where
    S: Service<Request<Incoming>, Response = Reply, Error = Infallible, Future: Send> + Clone + Send + 'static,
{
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(AFTER_FAILED_ACCEPT).await;
            continue;
        };
        let service = service.clone();
        task::spawn(async move {
            // A connection that breaks is the client's affair: there is nobody to tell, and no log.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}
