//! What the variants of this server share.

mod routes;

use std::io;

use actix_web::{App, HttpServer, web};
use contract::{Http, MAX_BODY_BYTES, Settings};

/// How the server is set up.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Setup {
    /// As the guide does it.
    Guide,
    /// With what `README.md` lists.
    Tuned,
}

/// Serves for ever, or ends the process where it cannot begin.
pub async fn serve(settings: &Settings, setup: Setup) -> io::Result<()> {
    let mut server = HttpServer::new(|| {
        App::new()
            .app_data(web::JsonConfig::default().limit(MAX_BODY_BYTES))
            .configure(routes::configure)
    })
    .workers(settings.workers.get())
    // Its own handler of SIGTERM waits up to 30 s for open connections; a load generator keeps them open.
    .disable_signals();
    if setup == Setup::Tuned {
        server = server.tcp_nodelay(true);
    }
    let bound = match (&settings.tls, settings.http) {
        // Adds both versions to what is offered by ALPN, whatever the configuration says.
        (Some(tls), http) => server.bind_rustls_0_23(settings.addr, contract::tls_config_or_exit(tls, http)),
        (None, Http::One) => server.bind(settings.addr),
        (None, Http::Two) => server.bind_auto_h2c(settings.addr),
    };
    bound
        .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error))
        .run()
        .await
}
