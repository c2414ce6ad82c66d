//! Server under test: ntex, compiled for the very cpu that it is built on (`rustflags` in Cargo.toml).

#[ntex::main]
async fn main() -> std::io::Result<()> {
    ntex_services_app::run(ntex_services_app::json).await
}
