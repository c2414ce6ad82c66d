//! Server under test: Axum, with what its documentation recommends beyond the guide. `README.md` has the sources.

use axum::serve::ListenerExt;
use axum_server::{accept::NoDelayAcceptor, tls_rustls::RustlsConfig};
use contract::Supports;
use tokio::net::TcpListener;

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let tls = axum_app::tls(&settings);
    contract_tokio::block_on(settings.workers, async {
        let listener = contract_tokio::listen(settings.addr).await;
        serve(listener, tls).await
    })
}

async fn serve(listener: TcpListener, tls: Option<RustlsConfig>) -> std::io::Result<()> {
    // Prepares the routes once; a bare `Router` is prepared again for each connection.
    let service = axum_app::router().into_make_service();
    match tls {
        None => {
            let listener = listener.tap_io(|stream| {
                // It fails if the connection broke in the meantime; reading from it reports that.
                let _ = stream.set_nodelay(true);
            });
            axum::serve(listener, service).await
        }
        Some(tls) => {
            axum_server::from_tcp_rustls(listener.into_std()?, tls)?
                .map(|acceptor| acceptor.acceptor(NoDelayAcceptor::new()))
                .serve(service)
                .await
        }
    }
}
