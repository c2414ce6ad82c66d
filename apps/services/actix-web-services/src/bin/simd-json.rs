//! Server under test: Actix Web, which reads and writes JSON by simd-json.

use services_codecs::SimdJson;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    actix_web_services_app::run(actix_web_services_app::json_by::<SimdJson>).await
}
