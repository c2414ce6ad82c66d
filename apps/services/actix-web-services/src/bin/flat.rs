//! Server under test: Actix Web, whose numbered routes stand one after the other, without scopes.

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    actix_web_services_app::run_flat().await
}
