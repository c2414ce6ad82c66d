//! Server under test: `may_minihttp`, set up as its examples do it. No framework: routing and JSON are done by hand.
//!
//! What no app can change: it ignores `Connection: close`, and leaves a connection without an answer where the head is
//! malformed, has more than 16 fields, or promises a chunked body that comes with it.

mod routes;

use std::{io, net::TcpListener};

use contract::Supports;
use may_minihttp::HttpServer;

/// In words of the machine, eight times what may gives: a hash and a parser need more, and an overflow ends the server.
/// Of a stack, only what was used takes memory.
const STACK_WORDS: usize = 0x8000;

fn main() -> io::Result<()> {
    let settings = contract::settings_or_exit(Supports::HTTP1_CLEARTEXT);
    may::config()
        .set_workers(settings.workers.get())
        .set_stack_size(STACK_WORDS);
    // may shares the port of another may, so the address is tried beforehand.
    TcpListener::bind(settings.addr)
        .map(drop)
        .and_then(|()| HttpServer(routes::Service).start(settings.addr))
        .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error))
        .join()
        .map_err(|_| io::Error::other("the server panicked"))
}
