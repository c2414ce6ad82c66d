//! Server under test: Axum, with mimalloc in place of the system's allocator.

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> std::io::Result<()> {
    axum_services_app::run(axum_services_app::json())
}
