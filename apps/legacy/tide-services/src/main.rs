//! Server under test: Tide with service features.

mod body_limit;
mod middleware;
mod pieces;
mod routes;

use async_global_executor::GlobalExecutorConfig;
use async_std::task;
use services_contract::settings_or_exit;
use tide::listener::Listener as _;

fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let (addr, workers) = (settings.server.addr, settings.server.workers.get());
    // async-std reads its number of threads from the environment only. This is the executor below it, which keeps the
    // configuration that comes first.
    async_global_executor::init_with_config(
        GlobalExecutorConfig::default()
            .with_min_threads(workers)
            .with_max_threads(workers),
    );
    let app = routes::app(&settings)?;
    task::block_on(async {
        let mut listener = app
            .bind(addr)
            .await
            .unwrap_or_else(|error| contract::cannot_listen(addr, &error));
        listener.accept().await
    })
}
