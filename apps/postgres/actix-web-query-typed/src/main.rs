//! Server under test: Actix Web with PostgreSQL by `query_typed` of tokio-postgres.

use postgres_contract::settings_or_exit;
use store_query_typed::QueryTyped;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let store = QueryTyped::or_exit(&settings);
    actix_web_postgres_app::serve(&settings, store).await
}
