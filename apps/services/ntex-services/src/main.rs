//! Server under test: ntex with service features.

#[ntex::main]
async fn main() -> std::io::Result<()> {
    ntex_services_app::run(ntex_services_app::json).await
}
