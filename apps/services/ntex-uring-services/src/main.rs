//! Server under test: ntex on its own runtime over `io_uring`. All else is as in `ntex-services`.

#[ntex::main]
async fn main() -> std::io::Result<()> {
    ntex_services_app::run(ntex_services_app::json).await
}
