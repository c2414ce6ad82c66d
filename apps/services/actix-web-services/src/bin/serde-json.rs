//! Server under test: Actix Web, which reads and writes JSON by `serde_json`, without the framework's own extractor.

use services_codecs::SerdeJson;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    actix_web_services_app::run(actix_web_services_app::json_by::<SerdeJson>).await
}
