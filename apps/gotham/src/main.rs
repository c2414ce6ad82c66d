//! Server under test: Gotham, set up as its examples do it.

mod exchange;
mod routes;

use contract::Supports;
use gotham::StartError;

fn main() {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let threads = settings.workers.get();
    let stopped = match &settings.tls {
        // Speaks whichever version of HTTP a client begins with.
        None => gotham::start_with_num_threads(settings.addr, routes::router(), threads),
        Some(tls) => {
            let config = contract::tls_config_or_exit(tls, settings.http);
            gotham::tls::start_with_num_threads(settings.addr, routes::router(), config, threads)
        }
    };
    match stopped {
        Ok(()) => {}
        Err(StartError::IoError(error)) => contract::cannot_listen(settings.addr, &error),
        Err(other) => contract::cannot_start(other),
    }
}
