//! What the variants of this server share: all but how they write.

use contract::{Http, Supports};
use xitca_web::{
    App,
    handler::{handler_service, handler_sync_service},
    route::{get, post},
};

use crate::{routes, with_body};

/// How an answer is written.
#[derive(Clone, Copy, Eq, PartialEq)]
pub enum Write {
    Default,
    /// Head and body in one piece.
    NotVectored,
}

/// Serves until the process ends. The routes are here and not with their handlers, because the type of an application has no name to return it
/// by.
pub fn run(write: Write) -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let mut server = App::new()
        .at("/", get(handler_service(routes::index)))
        .at("/hello", get(handler_service(routes::hello)))
        .at("/heavy", get(handler_service(routes::heavy)))
        .at("/cpu", get(handler_service(routes::cpu)))
        .at("/ram", get(handler_service(routes::ram)))
        .at("/test/simple", post(handler_service(routes::simple)))
        .at("/test/timed", post(handler_service(routes::timed)))
        .at("/test/bcrypt", post(handler_sync_service(routes::bcrypt)))
        .at("/test/bcrypt-inline", post(handler_service(routes::bcrypt_inline)))
        .enclosed_fn(with_body)
        .serve()
        .worker_threads(settings.workers.get())
        // With its handlers, SIGTERM leaves open connections half a minute.
        .disable_signal();
    if settings.http == Http::Two && settings.tls.is_none() {
        server = server.h2c_prior_knowledge();
    }
    if write == Write::NotVectored {
        server = server.disable_vectored_write();
    }
    let bound = match &settings.tls {
        Some(tls) => server.bind_rustls(settings.addr, contract::tls_config_or_exit(tls, settings.http)),
        None => server.bind(settings.addr),
    };
    bound
        .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error))
        .run()
        .wait()
}
