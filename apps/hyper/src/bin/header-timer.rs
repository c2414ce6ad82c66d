//! Server under test: hyper, with the timer that ends a connection whose head does not arrive. `README.md` has its source.

use contract::Supports;
use hyper_app::{Protocol, serve};

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let protocol = Protocol::new(&settings).with_header_timer();
    contract_tokio::block_on(settings.workers, async {
        let listener = contract_tokio::listen(settings.addr).await;
        serve(listener, protocol).await
    })
}
