//! Server under test: Axum with PostgreSQL by diesel-async.

use postgres_contract::settings_or_exit;
use store_diesel_async::DieselAsync;

fn main() -> std::io::Result<()> {
    axum_postgres_app::serve(&settings_or_exit(), async |settings| DieselAsync::or_exit(settings))
}
