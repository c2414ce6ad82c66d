//! Server under test: Axum with PostgreSQL by tokio-postgres in a pool of bb8.

use postgres_contract::settings_or_exit;
use store_bb8::Bb8;

fn main() -> std::io::Result<()> {
    axum_postgres_app::serve(&settings_or_exit(), async |settings| Bb8::or_exit(settings).await)
}
