//! How all servers of Poem serve, those of poem-openapi, with a database and with service features too.

#[cfg(feature = "tls")]
mod tls;

use std::{io, net::SocketAddr};

use poem::{IntoEndpoint, Server, listener::Listener};

#[cfg(feature = "tls")]
pub use tls::serve;

/// Serves where `listener` listens, at `addr`, or the end of the process.
pub async fn run(
    listener: impl Listener<Acceptor: 'static>,
    addr: SocketAddr,
    app: impl IntoEndpoint<Endpoint: 'static>,
) -> io::Result<()> {
    let acceptor = listener
        .into_acceptor()
        .await
        .unwrap_or_else(|error| contract::cannot_listen(addr, &error));
    Server::new_with_acceptor(acceptor).run(app).await
}
