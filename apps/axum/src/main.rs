//! Server under test: Axum, set up as its guide does it.

use contract::Supports;

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let tls = axum_app::tls(&settings);
    contract_tokio::block_on(settings.workers, async {
        let listener = contract_tokio::listen(settings.addr).await;
        axum_app::serve(listener, tls).await
    })
}
