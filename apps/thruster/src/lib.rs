//! What all servers of Thruster share, those with a database and with service features too: it reads a body of any size, and takes no listener.

use std::net::{SocketAddr, TcpListener};

use contract::{cannot_listen, cannot_start};
use hyper::{
    Body,
    body::{Bytes, HttpBody},
};

/// How much of a refused body is read before it is answered. hyper closes a connection whose request it has not read to
/// the end, and a client that is still sending then finds a broken connection in place of its answer.
const MAX_DISCARDED_BYTES: usize = 16 * 1024 * 1024;

/// The body, or the status and the text of a refusal.
pub async fn read(mut body: Body, max_bytes: usize) -> Result<Bytes, (u16, String)> {
    let mut read = Bytes::new();
    while let Some(data) = body.data().await {
        let data = data.map_err(|error| (400, error.to_string()))?;
        if read.len() + data.len() > max_bytes {
            discard(body).await;
            return Err((413, format!("the body is larger than {max_bytes} bytes")));
        }
        // Almost every body is one piece: it is handed on as it came, without a copy.
        read = if read.is_empty() {
            data
        } else {
            [read, data].concat().into()
        };
    }
    Ok(read)
}

pub async fn discard(mut body: Body) {
    let mut discarded = 0;
    while discarded < MAX_DISCARDED_BYTES {
        let Some(Ok(data)) = body.data().await else { return };
        discarded += data.len();
    }
}

/// Thruster panics where it cannot listen, and shares the port of another Thruster, so the address is tried beforehand.
pub fn check_address(addr: SocketAddr) {
    if addr.is_ipv6() {
        cannot_start(format_args!("ADDR is {addr}: Thruster listens on IPv4 only"));
    }
    if let Err(error) = TcpListener::bind(addr) {
        cannot_listen(addr, &error);
    }
}
