//! TLS: versions, ALPN, what is no TLS, and the end of a connection.

#[cfg(test)]
mod tests;

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::scenario::Protocol;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use super::{OnServer, hello};
use crate::probe::client::{MOST, Until, is_wait, rest};
use crate::probe::{Attempt, Error};
use servers::contract::Certificate;

/// Longest wait for an answer or the end of a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of a `ServerHello` up to its version.
const HEAD: usize = 11;

/// Its cases.
pub const CASES: &[(&str, OnServer)] = &[
    ("tls-1-1", |address| version(address, hello::Version::Tls11)),
    ("tls-1-2", |address| version(address, hello::Version::Tls12)),
    ("tls-alpn-none", alpn_without_common),
    ("tls-plain-http", |address| {
        no_tls(address, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    }),
    ("tls-garbage", |address| no_tls(address, &[0xff; 600])),
    ("tls-close-notify", close_notify),
];

/// A `ClientHello` of an older version.
fn version(address: SocketAddr, offered: hello::Version) -> Result<Attempt, Error> {
    let mut stream = Until::connect(address, PATIENCE, PATIENCE)?;
    stream.write_all(&hello::client_hello(offered))?;
    // Enough for the version in a ServerHello; an alert is shorter, and the connection ends behind it.
    let (mut came, closed) = rest(&mut stream.into_inner(), Instant::now() + PATIENCE, HEAD);
    came.truncate(HEAD);
    if !closed && came.len() < HEAD {
        let is_alert = came.len() >= 7 && came[0] == 21;
        return Ok(Attempt::new(is_alert, "it answers nothing within 5 s and stays open"));
    }
    let attempt = match came.as_slice() {
        [22, _, _, _, _, 2, _, _, _, 3, minor] => Attempt::new(
            *minor == 3 && offered == hello::Version::Tls12,
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

fn alpn_without_common(address: SocketAddr) -> Result<Attempt, Error> {
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

fn no_tls(address: SocketAddr, sent: &[u8]) -> Result<Attempt, Error> {
    let mut stream = Until::connect(address, PATIENCE, PATIENCE)?;
    stream.write_all(sent)?;
    let mut stream = stream.into_inner();
    let (came, closed) = rest(&mut stream, Instant::now() + PATIENCE, MOST);
    let answers = match came.as_slice() {
        [] => "nothing".to_owned(),
        [21, _, _, _, _, _, alert, ..] => format!("alert {alert}"),
        other => format!("{} other bytes", other.len()),
    };
    let end = if closed { "closes" } else { "stays open for 5 s" };
    let is_served = came.starts_with(b"HTTP/1.1 2") || came.starts_with(b"HTTP/1.0 2");
    Ok(Attempt::new(closed && !is_served, format!("it sends {answers} and {end}")).came(&came))
}

fn close_notify(address: SocketAddr) -> Result<Attempt, Error> {
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
