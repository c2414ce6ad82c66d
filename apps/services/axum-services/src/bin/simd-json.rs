//! Server under test: Axum, which reads and writes JSON by simd-json.

use services_codecs::SimdJson;

fn main() -> std::io::Result<()> {
    axum_services_app::run(axum_services_app::json_by::<SimdJson>())
}
