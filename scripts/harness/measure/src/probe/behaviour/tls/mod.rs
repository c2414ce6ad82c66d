//! TLS: versions, ALPN, and the end of a connection.

#[cfg(test)]
mod tests;

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::scenario::Protocol;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use super::Act::OnServer;
use super::Acts;
use crate::probe::Attempt;
use crate::probe::client::{MOST, Until, is_wait};
use crate::probe::exchange::answers::End;
use servers::contract::Certificate;

/// Longest wait for an answer or the end of a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of a `ServerHello` up to its version.
const HEAD: usize = 11;

/// Its cases.
pub const ACTS: Acts = &[
    ("tls-1-1", OnServer(|server| version(server.address, TLS_1_1))),
    ("tls-1-2", OnServer(|server| version(server.address, TLS_1_2))),
    ("tls-alpn-none", OnServer(|server| alpn_without_common(server.address))),
    ("tls-close-notify", OnServer(|server| close_notify(server.address))),
];

/// The minor version of TLS 1.1 and of 1.2, after a 3.
pub const TLS_1_1: u8 = 2;
pub const TLS_1_2: u8 = 3;

/// A `ClientHello` of a version that rustls does not speak (RFC 5246, section 7.4.1.2). In one record: a random number that is always the same, because nobody goes on with the handshake, and no session; the suites that a
/// server with a key of ECDSA or RSA may choose, which are ECDHE with AES in GCM and CBC, or `ChaCha20`; no compression; and extensions
/// for the groups x25519 and P-256, points that are not compressed, signatures by ECDSA and RSA, and the extended master secret.
const HELLO: &[u8] = b"\
    \x16\x03\x01\x00\x6b\x01\x00\x00\x67\x03\x03\
    ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ\
    \x00\x00\x18\xc0\x2b\xc0\x2c\xcc\xa9\xc0\x2f\xc0\x30\xcc\xa8\xc0\x09\xc0\x0a\xc0\x13\xc0\x14\x00\x9c\x00\x2f\
    \x01\x00\x00\x26\x00\x0a\x00\x06\x00\x04\x00\x1d\x00\x17\x00\x0b\x00\x02\x01\x00\
    \x00\x0d\x00\x0e\x00\x0c\x04\x03\x05\x03\x08\x04\x04\x01\x05\x01\x02\x01\x00\x17\x00\x00";

/// The hello of a client that speaks TLS up to this minor version.
pub fn client_hello(minor: u8) -> Vec<u8> {
    let mut hello = HELLO.to_vec();
    hello[10] = minor;
    hello
}

/// What comes of such a hello.
fn version(address: SocketAddr, offered: u8) -> io::Result<Attempt> {
    let mut stream = Until::sending(address, &client_hello(offered), PATIENCE, PATIENCE)?;
    // Enough for the version in a ServerHello; an alert is shorter, and the connection ends behind it.
    let (mut came, end) = stream.rest(Instant::now() + PATIENCE, HEAD);
    came.truncate(HEAD);
    if end == End::Open && came.len() < HEAD {
        let is_alert = came.len() >= 7 && came[0] == 21;
        return Ok(Attempt::new(is_alert, "it answers nothing within 5 s and stays open"));
    }
    let attempt = match came.as_slice() {
        [22, _, _, _, _, 2, _, _, _, 3, minor] => Attempt::new(
            *minor == TLS_1_2 && offered == TLS_1_2,
            format!("it goes on with TLS 1.{}", i32::from(*minor) - 1),
        ),
        [21, _, _, _, _, _, alert, ..] => Attempt::new(true, format!("it refuses by alert {alert}")),
        [] => Attempt::new(true, "it closes the connection"),
        _ => Attempt::new(false, "it answers with what is no TLS"),
    };
    Ok(attempt.came(&came))
}

fn client(address: SocketAddr, protocols: &[&[u8]]) -> io::Result<StreamOwned<ClientConnection, Until>> {
    let mut config: ClientConfig = (*Certificate::own()?.client(Protocol::Http1Tls)?).clone();
    config.alpn_protocols = protocols.iter().map(|one| one.to_vec()).collect();
    let name = ServerName::from(address.ip());
    let connection = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
    Ok(StreamOwned::new(
        connection,
        Until::connect(address, PATIENCE, PATIENCE)?,
    ))
}

/// A handshake to its end.
fn shaken(stream: &mut StreamOwned<ClientConnection, Until>) -> io::Result<()> {
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock)?;
    }
    Ok(())
}

fn alpn_without_common(address: SocketAddr) -> io::Result<Attempt> {
    let mut usual = client(address, &[b"h2", b"http/1.1"])?;
    if let Err(error) = shaken(&mut usual) {
        return Ok(Attempt::new(false, format!("it refuses h2 and http/1.1: {error}")));
    }
    if usual.conn.alpn_protocol().is_none() {
        return Ok(Attempt::not_applicable("it takes no part in ALPN"));
    }
    let mut odd = client(address, &[b"no-such-protocol"])?;
    Ok(match shaken(&mut odd) {
        Ok(()) => Attempt::new(false, "it completes the handshake without a protocol"),
        Err(error) if is_wait(&error) => Attempt::new(false, "it neither completes nor ends the handshake"),
        Err(error) => Attempt::new(true, format!("it ends the handshake: {error}")),
    })
}

fn close_notify(address: SocketAddr) -> io::Result<Attempt> {
    let mut stream = client(address, &[b"http/1.1"])?;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut came = Vec::new();
    let read = (&mut stream).take(MOST as u64).read_to_end(&mut came);
    let attempt = match read {
        Ok(_) if came.len() == MOST => Attempt::new(false, "it answers without end"),
        Ok(_) => Attempt::new(true, "it sends close_notify and closes"),
        Err(error) if is_wait(&error) => Attempt::not_applicable("it does not close the connection within 5 s"),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            Attempt::new(false, "it closes the connection without close_notify")
        }
        Err(error) => Attempt::new(false, format!("the connection ends otherwise: {error}")),
    };
    Ok(attempt.came(&came))
}
