//! How all servers of Salvo serve, those with a database and with service features too.

use std::{io, net::SocketAddr};

use salvo::{Error, Listener, Server, Service, http::request::set_global_secure_max_size};

/// Serves where `listener` listens, at `addr`, or the end of the process. A body is no larger than `max_bytes`.
pub async fn run(
    listener: impl Listener<Acceptor: Send>,
    addr: SocketAddr,
    max_bytes: usize,
    service: Service,
) -> io::Result<()> {
    let acceptor = listener.try_bind().await.unwrap_or_else(|error| match error {
        Error::Io(error) => contract::cannot_listen(addr, &error),
        other => contract::cannot_start(other),
    });
    // Looked at where a body is read. Its `SecureMaxSize` would be a handler before every request's.
    set_global_secure_max_size(max_bytes);
    Server::new(acceptor).try_serve(service).await
}
