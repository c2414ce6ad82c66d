//! Server under test: warp, set up as its documentation does it.

mod routes;
mod tls;

use contract::Supports;

fn main() {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let tls = settings
        .tls
        .as_ref()
        .map(|tls| contract::tls_config_or_exit(tls, settings.http));
    contract_tokio::block_on(settings.workers, async {
        let listener = contract_tokio::listen(settings.addr).await;
        match tls {
            // Speaks whichever version of HTTP a client begins with.
            None => warp::serve(routes::routes()).incoming(listener).run().await,
            Some(config) => tls::serve(listener, config, routes::routes()).await,
        }
    });
}
