//! Server under test: ntex, which reads and writes JSON by `sonic-rs`, compiled for cpus since about 2015.

use services_codecs::SonicRs;

#[ntex::main]
async fn main() -> std::io::Result<()> {
    ntex_services_app::run(ntex_services_app::json_by::<SonicRs>).await
}
