//! Server under test: Poem, set up as its guide does it.

mod routes;

use contract::Supports;

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    contract_tokio::block_on(settings.workers, poem_app::serve(&settings, routes::routes()))
}
