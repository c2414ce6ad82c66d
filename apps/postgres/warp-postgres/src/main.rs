//! Server under test: warp with PostgreSQL.

fn main() -> std::io::Result<()> {
    warp_postgres_app::run(|fortunes| Ok(postgres_contract::page(fortunes)?))
}
