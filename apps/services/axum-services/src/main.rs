//! Server under test: Axum with service features.

fn main() -> std::io::Result<()> {
    axum_services_app::run(axum_services_app::json())
}
