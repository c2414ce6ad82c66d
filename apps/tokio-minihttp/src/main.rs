//! Server under test: HTTP/1.1 as a codec of tokio-util. `tokio_minihttp`, which this stands for, is no longer published;
//! tokio's own tiny HTTP example does today what it did. No framework: routing and JSON are done by hand.

mod routes;

use std::{io, time::Duration};

use contract::Supports;
use tokio::{net::TcpListener, task, time};
use tokio_minihttp_app::connection;

/// How long to wait after a connection could not be accepted. Out of file descriptors, the next attempt fails at once.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

fn main() -> io::Result<()> {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    contract_tokio::block_on(settings.workers, async {
        let listener = contract_tokio::listen(settings.addr).await;
        serve(listener).await
    })
}

async fn serve(listener: TcpListener) -> ! {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(AFTER_FAILED_ACCEPT).await;
            continue;
        };
        // A connection that breaks is the client's affair: there is nobody to tell, and no log.
        task::spawn(async { connection::serve(stream, routes::answer).await.ok() });
    }
}
