//! Server under test: Axum with PostgreSQL by tokio-postgres without a pool.

use postgres_contract::settings_or_exit;
use store_pipelined::Pipelined;

fn main() -> std::io::Result<()> {
    axum_postgres_app::serve(&settings_or_exit(), async |settings| Pipelined::or_exit(settings).await)
}
