//! Server under test: Salvo with PostgreSQL.

mod routes;

use postgres_contract::{Deadpool, MAX_BODY_BYTES, settings_or_exit};
use salvo::conn::TcpListener;

fn main() -> std::io::Result<()> {
    let settings = settings_or_exit();
    let addr = settings.server.addr;
    contract_tokio::block_on(settings.server.workers, async {
        let service = routes::service(Deadpool::or_exit(&settings));
        salvo_app::run(TcpListener::new(addr), addr, MAX_BODY_BYTES, service).await
    })
}
