//! Server under test: hyper with PostgreSQL. No framework: bodies go in and out by the hands of `apps/hyper`.

mod routes;

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use postgres_contract::{Deadpool, settings_or_exit};

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        let store = Deadpool::or_exit(&settings);
        contract_tokio::accept(listener, |stream| {
            let store = store.clone();
            async move {
                http1::Builder::new()
                    .serve_connection(
                        TokioIo::new(stream),
                        service_fn(|request| routes::answer(request, &store)),
                    )
                    .await
            }
        })
        .await
    })
}
