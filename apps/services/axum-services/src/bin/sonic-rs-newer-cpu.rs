//! Server under test: Axum, which reads and writes JSON by `sonic-rs`, compiled for cpus since about 2015.

use services_codecs::SonicRs;

fn main() -> std::io::Result<()> {
    axum_services_app::run(axum_services_app::json_by::<SonicRs>())
}
