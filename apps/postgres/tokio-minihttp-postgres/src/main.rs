//! Server under test: HTTP/1.1 as a codec of tokio-util, with PostgreSQL. The codec comes from `apps/tokio-minihttp`.

mod routes;

use postgres_contract::{Deadpool, settings_or_exit};
use tokio_minihttp_app::connection;

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        let store = Deadpool::or_exit(&settings);
        contract_tokio::accept(listener, |stream| {
            let store = store.clone();
            connection::serve(stream, move |request| routes::answer(request, store.clone()))
        })
        .await
    })
}
