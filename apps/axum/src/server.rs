//! Serving as Axum's guide does it.

use std::{io, sync::Arc};

use axum_server::tls_rustls::RustlsConfig;
use contract::Settings;
use tokio::net::TcpListener;

use crate::router;

/// The requested TLS, if any; or the end of the process.
#[must_use]
pub fn tls(settings: &Settings) -> Option<RustlsConfig> {
    let files = settings.tls.as_ref()?;
    let config = contract::tls_config_or_exit(files, settings.http);
    Some(RustlsConfig::from_config(Arc::new(config)))
}

/// `axum::serve` speaks cleartext only, HTTP/2 included. For TLS, Axum's own example `tls-rustls` takes axum-server.
pub async fn serve(listener: TcpListener, tls: Option<RustlsConfig>) -> io::Result<()> {
    match tls {
        None => axum::serve(listener, router()).await,
        Some(tls) => {
            axum_server::from_tcp_rustls(listener.into_std()?, tls)?
                .serve(router().into_make_service())
                .await
        }
    }
}
