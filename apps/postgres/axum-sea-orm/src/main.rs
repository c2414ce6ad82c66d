//! Server under test: Axum with PostgreSQL by SeaORM.

use postgres_contract::settings_or_exit;
use store_sea_orm::SeaOrm;

fn main() -> std::io::Result<()> {
    axum_postgres_app::serve(&settings_or_exit(), async |settings| SeaOrm::or_exit(settings).await)
}
