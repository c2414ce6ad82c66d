//! Server under test: Axum, compiled for cpus since about 2015 (`rustflags` in Cargo.toml).

fn main() -> std::io::Result<()> {
    axum_services_app::run(axum_services_app::json())
}
