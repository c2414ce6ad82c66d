//! Server under test: warp with PostgreSQL.

fn main() {
    warp_postgres_app::run(|fortunes| Ok(postgres_contract::page(fortunes)?));
}
