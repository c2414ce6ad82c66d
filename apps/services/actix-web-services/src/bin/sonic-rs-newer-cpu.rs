//! Server under test: Actix Web, which reads and writes JSON by `sonic-rs`, compiled for cpus since about 2015.

use services_codecs::SonicRs;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    actix_web_services_app::run(actix_web_services_app::json_by::<SonicRs>).await
}
