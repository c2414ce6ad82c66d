//! Server under test: ntex, compiled for cpus since about 2015 (`rustflags` in Cargo.toml).

#[ntex::main]
async fn main() -> std::io::Result<()> {
    ntex_services_app::run(ntex_services_app::json).await
}
