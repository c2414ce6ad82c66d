//! Server under test: Axum with what services do beside.

fn main() -> std::io::Result<()> {
    axum_services_app::run(axum_services_app::json())
}
