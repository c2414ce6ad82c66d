//! Server under test: Actix Web with PostgreSQL by sqlx.

use postgres_contract::settings_or_exit;
use store_sqlx::Sqlx;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let store = Sqlx::or_exit(&settings).await;
    actix_web_postgres_app::serve(&settings, store).await
}
