//! Server under test: Actix Web, compiled for cpus since about 2015 (`rustflags` in Cargo.toml).

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    actix_web_services_app::run(actix_web_services_app::json).await
}
