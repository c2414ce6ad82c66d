//! Server under test: HTTP/1.1 as a codec of tokio-util, with PostgreSQL. The codec comes from `apps/tokio-minihttp`.

mod routes;

use std::{io, time::Duration};

use postgres_contract::{Deadpool, settings_or_exit};
use tokio::{net::TcpListener, task, time};
use tokio_minihttp_app::connection;

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

fn main() -> io::Result<()> {
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
        // A connection that breaks is the client's affair: there is nobody to tell, and no log.
        task::spawn(async move {
            connection::serve(stream, move |request| routes::answer(request, store.clone()))
                .await
                .ok()
        });
    }
}
