//! Server under test: HTTP/1.1 as a codec of tokio-util. `tokio_minihttp`, which this stands for, is no longer published;
//! tokio's own tiny HTTP example does today what it did. No framework: routing and JSON are done by hand.

mod routes;

use contract::Supports;
use tokio_minihttp_app::connection;

fn main() {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    contract_tokio::block_on(settings.workers, async {
        let listener = contract_tokio::listen(settings.addr).await;
        contract_tokio::accept(listener, |stream| connection::serve(stream, routes::answer)).await
    })
}
