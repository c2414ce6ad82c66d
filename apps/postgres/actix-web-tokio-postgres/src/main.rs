//! Server under test: Actix Web with PostgreSQL by tokio-postgres without a pool.

use postgres_contract::settings_or_exit;
use store_pipelined::Pipelined;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let store = Pipelined::or_exit(&settings).await;
    actix_web_postgres_app::serve(&settings, store).await
}
