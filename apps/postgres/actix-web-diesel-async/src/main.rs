//! Server under test: Actix Web with PostgreSQL by diesel-async.

use postgres_contract::settings_or_exit;
use store_diesel_async::DieselAsync;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let store = DieselAsync::or_exit(&settings);
    actix_web_postgres_app::serve(&settings, store).await
}
