//! Server under test: Actix Web, with mimalloc in place of the system's allocator.

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    actix_web_services_app::run(actix_web_services_app::json).await
}
