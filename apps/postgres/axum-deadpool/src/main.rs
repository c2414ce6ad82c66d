//! Server under test: Axum with PostgreSQL by tokio-postgres in a pool of deadpool.

use postgres_contract::{Deadpool, settings_or_exit};

fn main() -> std::io::Result<()> {
    axum_postgres_app::serve(&settings_or_exit(), async |settings| Deadpool::or_exit(settings))
}
