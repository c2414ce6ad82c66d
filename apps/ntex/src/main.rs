//! Server under test: ntex, set up as its guide does it.

mod routes;

use std::io;

use contract::{Http, MAX_BODY_BYTES, Settings, Supports};
use ntex::{
    http::HttpService,
    server,
    web::{self, App, HttpServer, types::JsonConfig},
};

/// Each worker makes an `App` of its own. This is a macro because the type of an `App` cannot be written down.
macro_rules! app {
    () => {
        App::new()
            .state(JsonConfig::default().limit(MAX_BODY_BYTES))
            .configure(routes::configure)
            .default_service(web::to(routes::not_found))
    };
}

#[ntex::main]
async fn main() -> io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let listening = match (settings.http, &settings.tls) {
        (Http::Two, None) => http2_cleartext(&settings),
        _ => web_server(&settings),
    };
    listening
        .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error))
        .await
}

fn web_server(settings: &Settings) -> io::Result<server::Server> {
    let server = HttpServer::new(async || app!())
        .workers(settings.workers.get())
        // Its own handler of SIGTERM waits up to 30 s for open connections; a load generator keeps them open.
        .disable_signals();
    let server = match &settings.tls {
        // Whatever the configuration says, ntex offers h2 and http/1.1 by ALPN, and speaks what the client takes.
        Some(tls) => server.bind_rustls(settings.addr, &contract::tls_config_or_exit(tls, settings.http)),
        None => server.bind(settings.addr),
    };
    Ok(server?.run())
}

/// Without ALPN, the web server takes every connection for HTTP/1.1; the general server takes the service for HTTP/2.
fn http2_cleartext(settings: &Settings) -> io::Result<server::Server> {
    let server =
        server::build()
            .workers(settings.workers.get())
            .disable_signals()
            .bind("http2", settings.addr, async |_| HttpService::h2(app!()))?;
    Ok(server.run())
}
