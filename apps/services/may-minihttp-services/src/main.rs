//! Server under test: `may_minihttp` with service features. What its HTTP cannot do stands in `apps/may-minihttp`.

mod routes;

use std::{io, net::TcpListener};

use may_minihttp::HttpServer;
use services_contract::settings_or_exit;

/// In words of the machine, eight times what may gives: a signature and a parser need more, and an overflow ends the server.
/// Of a stack, only what was used takes memory.
const STACK_WORDS: usize = 0x8000;

fn main() -> io::Result<()> {
    let settings = settings_or_exit();
    let addr = settings.server.addr;
    may::config()
        .set_workers(settings.server.workers.get())
        .set_stack_size(STACK_WORDS);
    // may shares the port of another may, so the address is tried beforehand.
    TcpListener::bind(addr)
        .map(drop)
        .and_then(|()| HttpServer(routes::Service).start(addr))
        .unwrap_or_else(|error| services_contract::cannot_listen(addr, &error))
        .join()
        .map_err(|_| io::Error::other("the server panicked"))
}
