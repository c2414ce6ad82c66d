//! Server under test: hyperlane, set up as the documentation of its macros and its quick start do it. In since 22.1.0, as a framework
//! with an HTTP/1.1 parser, a router and a response of its own; HTTP/2 is h2's, with its own response framed into it.
//!
//! It reads the certificate and the key by itself, and accepts no configuration of rustls. HTTP/3 is left out: nothing here requests it.
//! A connection that cannot be accepted, such as one too many for the limit of open files, ends its server, and so this process.
//!
//! There is no variant: its documentation recommends no setting. The runtime of its quick start has other numbers of threads, and
//! `WORKERS` sets those here.

mod routes;

use std::path::Path;

use contract::{Http, MAX_BODY_BYTES, Settings, Supports, Tls};
use hyperlane::{RequestConfig, Server, ServerConfig, ServerProtocol, TlsConfig, hyperlane};

fn main() {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    contract_tokio::block_on(settings.workers, serve(&settings));
}

/// `server` has all that is registered by an attribute.
#[hyperlane(server: Server, server_config: ServerConfig, request_config: RequestConfig)]
async fn serve(settings: &Settings) {
    server_config
        .set_address(settings.addr.to_string())
        .set_protocol(match settings.http {
            Http::One => ServerProtocol::Http1,
            Http::Two => ServerProtocol::Http2,
        })
        .set_tls(settings.tls.as_ref().map(tls));
    request_config.set_max_body_size(MAX_BODY_BYTES);
    server.server_config(server_config).request_config(request_config);
    hyperlane_app::register(&mut server);
    hyperlane_app::run(&server, settings.addr).await;
}

fn tls(files: &Tls) -> TlsConfig {
    let path = |path: &Path| path.to_string_lossy().into_owned();
    TlsConfig::new(path(&files.cert), path(&files.key))
}
