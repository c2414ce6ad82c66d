//! Serving with every protocol.

use std::{fs, io};

use contract::{Settings, Tls};
use poem::{
    IntoEndpoint,
    listener::{Listener as _, RustlsCertificate, RustlsConfig, TcpListener},
};
use rustls::crypto::ring;

use crate::run;

/// Poem speaks whichever version a client begins with, and over TLS the one that the client prefers: `HTTP` changes
/// nothing.
pub async fn serve(settings: &Settings, app: impl IntoEndpoint<Endpoint: 'static>) -> io::Result<()> {
    let listener = TcpListener::bind(settings.addr);
    match &settings.tls {
        None => run(listener, settings.addr, app).await,
        Some(tls) => {
            // Poem would take a file without a certificate, and then fail at every handshake.
            let _ = contract::tls_config_or_exit(tls, settings.http);
            let config = tls_config(tls).unwrap_or_else(|error| contract::cannot_start(error));
            run(listener.rustls(config), settings.addr, app).await
        }
    }
}

/// Poem builds the configuration of rustls itself, for TLS 1.2 and 1.3. It takes the cryptography that the process has
/// chosen for all but the signature of a handshake, which is always aws-lc-rs's.
fn tls_config(tls: &Tls) -> io::Result<RustlsConfig> {
    // An error would mean that something else was chosen before, and nothing here does that.
    let _ = ring::default_provider().install_default();
    let certificate = RustlsCertificate::new()
        .cert(fs::read(&tls.cert)?)
        .key(fs::read(&tls.key)?);
    Ok(RustlsConfig::new().fallback(certificate))
}
