//! Server under test: `poem-openapi`, set up as its guide does it, with the page that shows the API. What it costs over `apps/poem` is what
//! a typed description of the API costs: each body is a tree of JSON values between its bytes and its type.

mod api;
mod messages;

use std::{fs, io};

use contract::{Settings, Supports, Tls};
use poem::{
    Route, Server,
    listener::{Listener, RustlsCertificate, RustlsConfig, TcpListener},
};
use poem_openapi::OpenApiService;
use rustls::crypto::ring;

fn main() -> io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    contract_tokio::block_on(settings.workers, serve(&settings))
}

/// Poem speaks whichever version a client begins with, and over TLS the one that the client prefers: `HTTP` changes
/// nothing.
async fn serve(settings: &Settings) -> io::Result<()> {
    let listener = TcpListener::bind(settings.addr);
    match &settings.tls {
        None => run(listener, settings).await,
        Some(tls) => {
            // Poem would take a file without a certificate, and then fail at every handshake.
            let _ = contract::tls_config_or_exit(tls, settings.http);
            let config = tls_config(tls).unwrap_or_else(|error| contract::cannot_start(error));
            run(listener.rustls(config), settings).await
        }
    }
}

async fn run(listener: impl Listener<Acceptor: 'static>, settings: &Settings) -> io::Result<()> {
    let acceptor = listener
        .into_acceptor()
        .await
        .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error));
    let service = OpenApiService::new(api::Api, "The contract", "1.0");
    let page = service.swagger_ui();
    let app = Route::new().nest("/", service).nest("/docs", page);
    Server::new_with_acceptor(acceptor).run(app).await
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
