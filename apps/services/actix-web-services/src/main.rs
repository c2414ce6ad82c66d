//! Server under test: Actix Web with service features.

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    actix_web_services_app::run(actix_web_services_app::json).await
}
