//! Server under test: Axum, compiled for the very cpu that it is built on (`rustflags` in Cargo.toml).

fn main() -> std::io::Result<()> {
    axum_services_app::run(axum_services_app::json())
}
