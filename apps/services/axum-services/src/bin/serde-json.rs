//! Server under test: Axum, which reads and writes JSON by `serde_json`, without the framework's own extractor.

use services_codecs::SerdeJson;

fn main() -> std::io::Result<()> {
    axum_services_app::run(axum_services_app::json_by::<SerdeJson>())
}
