//! Server under test: Actix Web, with what its maintainers recommend beyond the guide. `README.md` has the sources.

use actix_web_app::Setup;
use contract::Supports;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    actix_web_app::serve(&settings, Setup::Tuned).await
}
