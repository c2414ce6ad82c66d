//! Server under test: Actix Web, set up as its guide does it.

use actix_web_app::Setup;
use contract::Supports;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    actix_web_app::serve(&settings, Setup::Guide).await
}
