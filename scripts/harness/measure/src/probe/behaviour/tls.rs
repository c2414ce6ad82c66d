//! TLS: versions, ALPN, what is no TLS, and handshakes that stop.

mod hello;
#[cfg(test)]
mod tests;

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use record::probe::ProbeFigure;
use record::scenario::Protocol;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use super::Act;
use super::asked::p99;
use super::lifecycle::entries;
use super::until::{Until, is_wait, rest};
use crate::contract::{Certificate, Client};
use crate::failure::Failure;
use crate::probe::{Attempt, Place};

/// Longest wait for an answer or the end of a connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longest wait for a server to give stalled handshakes up.
const STALLED: Duration = Duration::from_secs(8);
/// Longest that others may wait meanwhile.
const OTHERS: Duration = Duration::from_secs(2);
/// Handshakes that stall at once.
const STALLING: usize = 20;
/// Handshakes that are cut.
const CUT: usize = 200;
/// Descriptors that a server may open for itself meanwhile.
const OWN_FILES: usize = 8;
/// Most bytes that are read of a connection.
const MOST: usize = 64 << 10;

/// By the id of the case.
pub const ACTS: &[(&str, Act)] = &[
    ("tls-1-1", |place| act(place, "tls-1-1")),
    ("tls-1-2", |place| act(place, "tls-1-2")),
    ("tls-alpn-none", |place| act(place, "tls-alpn-none")),
    ("tls-plain-http", |place| act(place, "tls-plain-http")),
    ("tls-garbage", |place| act(place, "tls-garbage")),
    ("tls-stalled", |place| act(place, "tls-stalled")),
    ("tls-cut", |place| act(place, "tls-cut")),
    ("tls-close-notify", |place| act(place, "tls-close-notify")),
];

fn act(place: &Place<'_>, id: &str) -> Result<Attempt, Failure> {
    let mut server = place.start()?;
    let pid = server.pid();
    let attempt = Attempt::or_broken(case(id, server.address(), &|| entries(&[pid], "fd")))?;
    Ok(attempt.and_still_answers(&mut server))
}

/// A case of [`ACTS`] on any server, which has so many `files` open.
fn case(id: &str, address: SocketAddr, files: &dyn Fn() -> usize) -> io::Result<Attempt> {
    match id {
        "tls-1-1" => version(address, hello::Version::Tls11),
        "tls-1-2" => version(address, hello::Version::Tls12),
        "tls-alpn-none" => alpn_without_common(address),
        "tls-plain-http" => no_tls(address, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        "tls-garbage" => no_tls(address, &[0xff; 600]),
        "tls-stalled" => stalled(address),
        "tls-cut" => cut(address, files),
        "tls-close-notify" => close_notify(address),
        _ => unreachable!("{id} is no case of TLS"),
    }
}

fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// A `ClientHello` of an older version.
fn version(address: SocketAddr, offered: hello::Version) -> io::Result<Attempt> {
    let mut stream = Until::new(connect(address)?, PATIENCE);
    stream.write_all(&hello::client_hello(offered))?;
    let mut head = [0; 11];
    let mut bytes = 0;
    // Enough for the version in a ServerHello; an alert is shorter, and the connection ends behind it.
    while bytes < head.len() {
        match stream.read(&mut head[bytes..]) {
            Ok(some) if some > 0 => bytes += some,
            Err(error) if is_wait(&error) => {
                return Ok(Attempt::new(
                    bytes >= 7 && head[0] == 21,
                    "it answers nothing within 5 s and stays open",
                ));
            }
            _ => break,
        }
    }
    let came = &head[..bytes];
    let attempt = match came {
        [22, _, _, _, _, 2, _, _, _, 3, minor] => Attempt::new(
            *minor == 3 && offered == hello::Version::Tls12,
            format!("it goes on with TLS 1.{}", i32::from(*minor) - 1),
        ),
        [21, _, _, _, _, _, alert, ..] => Attempt::new(true, format!("it refuses by alert {alert}")),
        [] => Attempt::new(true, "it closes the connection"),
        _ => Attempt::new(false, "it answers with what is no TLS"),
    };
    Ok(attempt.came(came))
}

fn client(address: SocketAddr, protocols: &[&[u8]]) -> io::Result<StreamOwned<ClientConnection, Until>> {
    let mut config: ClientConfig = (*Certificate::own()?.client(Protocol::Http1Tls)?).clone();
    config.alpn_protocols = protocols.iter().map(|one| one.to_vec()).collect();
    let name = ServerName::from(address.ip());
    let connection = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
    Ok(StreamOwned::new(connection, Until::new(connect(address)?, PATIENCE)))
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

fn no_tls(address: SocketAddr, sent: &[u8]) -> io::Result<Attempt> {
    let mut stream = connect(address)?;
    stream.write_all(sent)?;
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

fn stalled(address: SocketAddr) -> io::Result<Attempt> {
    let hello = hello::client_hello(hello::Version::Tls12);
    let mut stuck = Vec::new();
    for _ in 0..STALLING {
        let mut stream = connect(address)?;
        stream.write_all(&hello[..hello.len() / 2])?;
        stream.set_nonblocking(true)?;
        stuck.push(stream);
    }
    let began = Instant::now();
    let (mut waits, mut gave_up) = (Vec::new(), None);
    while began.elapsed() < STALLED && gave_up.is_none() {
        crate::interrupt::check().map_err(io::Error::other)?;
        let asked = Instant::now();
        let client = Client::new(address, Protocol::Http1Tls)?.with_patience(OTHERS);
        if let Err(violation) = client.get("/") {
            return Ok(Attempt::new(
                false,
                format!("others are not served meanwhile: {}", violation.got),
            ));
        }
        waits.push(asked.elapsed().as_secs_f64() * 1e3);
        let ended = |stream: &mut TcpStream| match stream.read(&mut [0; 64]) {
            Ok(0) => true,
            Ok(_) => false,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        };
        if stuck.iter_mut().any(ended) {
            gave_up = Some(began.elapsed().as_secs_f64() * 1e3);
        }
        thread::sleep(Duration::from_millis(100));
    }
    let got = match gave_up {
        Some(after) => format!("it gives a handshake up after {:.1} s", after / 1e3),
        None => format!("it still waits after {} s", STALLED.as_secs()),
    };
    let attempt = Attempt::new(true, got).with(ProbeFigure::OthersP99Ms, p99(&waits).unwrap_or_default());
    Ok(match gave_up {
        Some(after) => attempt.with(ProbeFigure::GaveUpAfterMs, after),
        None => attempt,
    })
}

fn cut(address: SocketAddr, files: &dyn Fn() -> usize) -> io::Result<Attempt> {
    let before = files();
    let hello = hello::client_hello(hello::Version::Tls12);
    let began = Instant::now();
    for number in 0..CUT {
        // A server that accepts no more makes the kernel wait a second and more with each connection beyond its backlog.
        if began.elapsed() > PATIENCE {
            return Ok(Attempt::new(
                false,
                format!("it hardly accepts any more after {number} connections"),
            ));
        }
        let Ok(mut stream) = connect(address) else {
            return Ok(Attempt::new(
                false,
                format!("it accepts no more after {number} connections"),
            ));
        };
        // Some before, some within and some after the hello.
        let part = hello.len() * (number % 3) / 2;
        let _ = stream.write_all(&hello[..part]); // a server that refuses early is fine
    }
    let until = Instant::now() + PATIENCE;
    loop {
        let now = files();
        let left = now.saturating_sub(before);
        if left <= OWN_FILES || Instant::now() > until {
            return Ok(Attempt::new(
                left <= OWN_FILES,
                format!("{left} more descriptors than before are open"),
            ));
        }
        thread::sleep(Duration::from_millis(50));
    }
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
