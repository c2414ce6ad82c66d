//! Server under test: hyper on one runtime for each worker. A connection stays on the thread that accepted it, so nothing
//! is handed from thread to thread; in return a thread with many busy connections gets no help from an idle one.

use std::{io, net::SocketAddr, thread};

use contract::Supports;
use hyper_app::{Protocol, serve};
use tokio::{net::TcpSocket, runtime};

/// As in tokio's own `TcpListener::bind`.
const BACKLOG: u32 = 1024;

fn main() -> io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let protocol = Protocol::new(&settings);
    // All are bound before the first is served: an address that is taken must end the process, not one thread.
    let sockets = bind_all(settings.addr, settings.workers.get())
        .unwrap_or_else(|error| contract::cannot_listen(settings.addr, &error));
    thread::scope(|scope| {
        let mut workers = Vec::new();
        for socket in sockets {
            let protocol = protocol.clone();
            workers.push(thread::Builder::new().spawn_scoped(scope, || work(socket, protocol))?);
        }
        workers.into_iter().try_for_each(|worker| {
            let ended = worker.join();
            ended.unwrap_or_else(|_| Err(io::Error::other("a worker panicked")))
        })
    })
}

fn bind_all(addr: SocketAddr, sockets: usize) -> io::Result<Vec<TcpSocket>> {
    // With `SO_REUSEPORT` alone, a second server on the address would start as well and take half of the connections.
    drop(bind(addr, false)?);
    (0..sockets).map(|_| bind(addr, true)).collect()
}

/// With `SO_REUSEPORT` the kernel spreads the connections over all sockets of the address.
fn bind(addr: SocketAddr, reuseport: bool) -> io::Result<TcpSocket> {
    let socket = if addr.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(reuseport)?;
    socket.bind(addr)?;
    Ok(socket)
}

fn work(socket: TcpSocket, protocol: Protocol) -> io::Result<()> {
    runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(async { serve(socket.listen(BACKLOG)?, protocol).await })
}
