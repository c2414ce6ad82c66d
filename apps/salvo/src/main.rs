//! Server under test: Salvo, set up as its guide does it.

mod routes;

use std::net::SocketAddr;

use contract::{Http, MAX_BODY_BYTES, Settings, Supports, Tls};
use salvo::{
    Error, Listener, Server,
    conn::{
        TcpListener,
        rustls::{Keycert, RustlsConfig},
    },
    http::request::set_global_secure_max_size,
};

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    contract_tokio::block_on(settings.workers, serve(&settings))
}

/// In cleartext, Salvo speaks whichever version a client begins with.
async fn serve(settings: &Settings) -> std::io::Result<()> {
    let listener = TcpListener::new(settings.addr);
    match &settings.tls {
        None => run(listener, settings.addr).await,
        Some(tls) => {
            let config = tls_config(tls, settings.http).unwrap_or_else(|error| contract::cannot_start(error));
            run(listener.rustls(config), settings.addr).await
        }
    }
}

async fn run(listener: impl Listener<Acceptor: Send>, addr: SocketAddr) -> std::io::Result<()> {
    let acceptor = listener.try_bind().await.unwrap_or_else(|error| match error {
        Error::Io(error) => contract::cannot_listen(addr, &error),
        other => contract::cannot_start(other),
    });
    // Looked at where a body is read. Its `SecureMaxSize` would be a handler before every request's.
    set_global_secure_max_size(MAX_BODY_BYTES);
    Server::new(acceptor).try_serve(routes::service()).await
}

/// Salvo builds the configuration of rustls itself. With the features chosen here it is what `contract` would build:
/// TLS 1.3 alone, and ring.
fn tls_config(tls: &Tls, http: Http) -> std::io::Result<RustlsConfig> {
    let keycert = Keycert::new().cert_from_path(&tls.cert)?.key_from_path(&tls.key)?;
    let protocol = match http {
        Http::One => b"http/1.1".to_vec(),
        Http::Two => b"h2".to_vec(),
    };
    Ok(RustlsConfig::new(keycert).alpn_protocols(vec![protocol]))
}
