//! Server under test: rama, set up as its examples `http_web_router`, `http_service_hello` and `https_web_service_with_hsts`
//! do it. In since 0.3.0-alpha.4, as a framework of services for every layer of the network, with a router, extractors and an
//! HTTP of its own, which began as a fork of hyper. Its README calls it experimental for the foreseeable future, and in use.
//!
//! There is no variant `tuned`: nothing in its documentation recommends a setting. Its layers for tracing are left out, as is
//! every access log here.

mod routes;

use contract::{Settings, Supports};
use rama::{Layer as _, http::server::HttpServer, rt::Executor, tcp::server::TcpListener};
use rama_tls_rustls::server::{TlsAcceptorData, TlsAcceptorLayer};

fn main() {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    contract_tokio::block_on(settings.workers, serve(&settings));
}

/// rama speaks whichever version of HTTP a client begins with. At a signal it waits for nothing: for that, the examples have a
/// `Shutdown` around it.
async fn serve(settings: &Settings) {
    let tls = settings.tls.as_ref();
    let tls = tls.map(|tls| TlsAcceptorData::from(contract::tls_config_or_exit(tls, settings.http)));
    // By tokio, because rama's own `bind` fails with an error of any type.
    let listener: TcpListener = contract_tokio::listen(settings.addr).await.into();
    let http = HttpServer::auto(Executor::default()).service(routes::router());
    match tls {
        None => listener.serve(http).await,
        Some(tls) => listener.serve(TlsAcceptorLayer::new(tls).into_layer(http)).await,
    }
}
