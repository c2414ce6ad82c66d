//! Server under test: hyper, set up as its guide does it. No framework: what is between it and the others is what they
//! cost.

use contract::Supports;
use hyper_app::{Protocol, serve};

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let protocol = Protocol::new(&settings);
    contract_tokio::block_on(settings.workers, async {
        let listener = contract_tokio::listen(settings.addr).await;
        serve(listener, protocol).await
    })
}
