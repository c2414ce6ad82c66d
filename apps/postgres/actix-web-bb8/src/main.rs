//! Server under test: Actix Web with PostgreSQL by tokio-postgres in a pool of bb8.

use postgres_contract::settings_or_exit;
use store_bb8::Bb8;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let store = Bb8::or_exit(&settings).await;
    actix_web_postgres_app::serve(&settings, store).await
}
