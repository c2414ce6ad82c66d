//! Server under test: ntex, which reads and writes JSON by `serde_json`, without the framework's own extractor.

use services_codecs::SerdeJson;

#[ntex::main]
async fn main() -> std::io::Result<()> {
    ntex_services_app::run(ntex_services_app::json_by::<SerdeJson>).await
}
