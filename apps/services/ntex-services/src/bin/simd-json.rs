//! Server under test: ntex, which reads and writes JSON by simd-json.

use services_codecs::SimdJson;

#[ntex::main]
async fn main() -> std::io::Result<()> {
    ntex_services_app::run(ntex_services_app::json_by::<SimdJson>).await
}
