//! Server under test: Axum, with jemalloc in place of the system's allocator.

use tikv_jemallocator::Jemalloc;

#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> std::io::Result<()> {
    axum_services_app::run(axum_services_app::json())
}
