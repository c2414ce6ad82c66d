//! Server under test: Axum with PostgreSQL by sqlx.

use postgres_contract::settings_or_exit;
use store_sqlx::Sqlx;

fn main() -> std::io::Result<()> {
    axum_postgres_app::serve(&settings_or_exit(), async |settings| Sqlx::or_exit(settings).await)
}
