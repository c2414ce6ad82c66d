//! Server under test: Axum with PostgreSQL by `query_typed` of tokio-postgres.

use postgres_contract::settings_or_exit;
use store_query_typed::QueryTyped;

fn main() -> std::io::Result<()> {
    axum_postgres_app::serve(&settings_or_exit(), async |settings| QueryTyped::or_exit(settings))
}
