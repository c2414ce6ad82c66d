//! Server under test: hyper with service features. No framework: answers are made by the hands of `apps/hyper`.

mod body;
mod middleware;
mod pieces;
mod routes;

use std::convert::Infallible;

use hyper::{
    Request,
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::rt::TokioIo;
use services_contract::settings_or_exit;
use tokio::net::TcpListener;

use crate::pieces::Reply;

fn main() {
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
    contract_tokio::accept(listener, |stream| {
        let service = service.clone();
        async move {
            http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await
        }
    })
    .await
}
