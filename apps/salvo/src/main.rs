//! Server under test: Salvo, set up as its guide does it.

mod routes;

use contract::{Http, MAX_BODY_BYTES, Settings, Supports, Tls};
use salvo::conn::{
    TcpListener,
    rustls::{Keycert, RustlsConfig},
};
use salvo_app::run;

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    contract_tokio::block_on(settings.workers, serve(&settings))
}

/// In cleartext, Salvo speaks whichever version a client begins with.
async fn serve(settings: &Settings) -> std::io::Result<()> {
    let (listener, service) = (TcpListener::new(settings.addr), routes::service());
    match &settings.tls {
        None => run(listener, settings.addr, MAX_BODY_BYTES, service).await,
        Some(tls) => {
            let config = tls_config(tls, settings.http).unwrap_or_else(|error| contract::cannot_start(error));
            run(listener.rustls(config), settings.addr, MAX_BODY_BYTES, service).await
        }
    }
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
