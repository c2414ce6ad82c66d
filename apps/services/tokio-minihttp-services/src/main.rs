//! Server under test: HTTP/1.1 as a codec of tokio-util, with service features. The codec comes from
//! `apps/tokio-minihttp`.

mod routes;

use services_contract::{MAX_BODY_BYTES, settings_or_exit};
use tokio_minihttp_app::connection;

fn main() {
    let settings = settings_or_exit();
    contract_tokio::block_on(settings.server.workers, async {
        let listener = contract_tokio::listen(settings.server.addr).await;
        contract_tokio::accept(listener, |stream| {
            connection::serve_up_to(MAX_BODY_BYTES, stream, routes::answer)
        })
        .await
    })
}
