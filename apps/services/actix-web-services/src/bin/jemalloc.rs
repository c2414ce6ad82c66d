//! Server under test: Actix Web, with jemalloc in place of the system's allocator.

use tikv_jemallocator::Jemalloc;

#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    actix_web_services_app::run(actix_web_services_app::json).await
}
