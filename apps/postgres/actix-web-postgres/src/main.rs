//! Server under test: Actix Web with PostgreSQL.

use postgres_contract::{Deadpool, settings_or_exit};

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let store = Deadpool::or_exit(&settings);
    actix_web_postgres_app::serve(&settings, store).await
}
