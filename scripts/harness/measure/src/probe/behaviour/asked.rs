//! Single requests by hand, bounded in time and bytes, over connections that are kept.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::until::{Until, is_wait};
use crate::probe::exchange::answers;

/// Longest wait for the answer to `GET /`.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// Longest time to open several.
const OPENING: Duration = Duration::from_secs(5);
/// Most bytes of an answer.
pub const MOST: usize = 64 << 10;
/// `GET /` over HTTP/1.1, on a connection that is kept.
pub const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// Fields of `GET /` as HPACK of the static table.
pub const FIELDS: &[u8] = b"\x82\x86\x84\x41\x09localhost";

/// The preface of a client with empty SETTINGS.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// Begins an HTTP/2 connection and waits for what the server says first, which is given: xitca-web 0.8.1 never answers a request
/// that comes in one packet with the preface, and that is a case of its own.
pub fn begin_http2(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    stream.write_all(PREFACE)?;
    let mut buffer = vec![0; 4096];
    let count = stream.read(&mut buffer).map_err(in_words)?;
    buffer.truncate(count);
    Ok(buffer)
}

/// A request on this stream with these `fields`, as HPACK, and no body.
pub fn http2_request(stream: u8, fields: &[u8]) -> Vec<u8> {
    let length = u8::try_from(fields.len()).expect("short fields");
    [&[0, 0, length, 1, 5, 0, 0, 0, stream], fields].concat()
}

/// A connection that has been answered, and is open. The error says what came instead.
pub fn answered(address: SocketAddr, http2: bool) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut came = Vec::new();
    if http2 {
        came = begin_http2(&mut stream)?;
        stream.write_all(&http2_request(1, FIELDS))?;
    } else {
        stream.write_all(GET)?;
    }
    let began = Instant::now();
    let mut buffer = [0; 4096];
    while came.len() < MOST && began.elapsed() < PATIENCE {
        let count = stream.read(&mut buffer).map_err(in_words)?;
        if count == 0 {
            return Err(io::Error::other("it closed the connection"));
        }
        came.extend(&buffer[..count]);
        let is_whole = if http2 {
            ends_stream(&came, 1)
        } else {
            let found = answers::find(&came, &[], false);
            found.answers.iter().any(|answer| answer.body == b"Hello, World!")
        };
        if is_whole {
            if http2 {
                stream.write_all(b"\0\0\0\x04\x01\0\0\0\0")?;
            }
            return Ok(stream);
        }
    }
    Err(io::Error::other("it sent something else than the answer"))
}

/// What came of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Came {
    /// A whole answer with this status.
    Status(u16),
    /// The end of the connection.
    Closed,
    /// Neither in time.
    Nothing,
}

/// One request over HTTP/1.1 on a connection of its own, and what came.
pub fn ask(address: SocketAddr, request: &[u8], patience: Duration) -> io::Result<(Came, Vec<u8>)> {
    let mut stream = Until::new(TcpStream::connect_timeout(&address, patience)?, patience);
    let (mut came, mut buffer) = (Vec::new(), [0; 4096]);
    if stream.write_all(request).is_err() {
        return Ok((Came::Closed, came));
    }
    while came.len() < MOST {
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => came.extend_from_slice(&buffer[..count]),
            Err(error) if is_wait(&error) => break,
            Ok(_) | Err(_) => return Ok((Came::Closed, came)),
        }
        if let Some(answer) = answers::find(&came, &[], false).answers.first() {
            return Ok((Came::Status(answer.status), came));
        }
    }
    Ok((Came::Nothing, came))
}

/// Connections that have each been answered over HTTP/1.1 and are open, one opened after the other: up to `count`, and as many as can be
/// had within [`OPENING`].
pub fn answered_many(address: SocketAddr, count: usize) -> Vec<TcpStream> {
    let began = Instant::now();
    let one = |_| answered(address, false).ok().filter(|_| began.elapsed() < OPENING);
    (0..count).map_while(one).collect()
}

/// What the system calls a resource that is temporarily unavailable.
fn in_words(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => io::Error::other(format!("no answer within {} s", PATIENCE.as_secs())),
        _ => error,
    }
}

/// Whether frames end this stream: HEADERS or DATA with the flag `END_STREAM`.
pub fn ends_stream(mut frames: &[u8], stream: u8) -> bool {
    while let [a, b, c, kind, flags, _, _, _, id, rest @ ..] = frames {
        if *kind <= 1 && flags & 1 == 1 && *id == stream {
            return true;
        }
        let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        let Some(next) = rest.get(length..) else { return false };
        frames = next;
    }
    false
}

/// The 99th percentile of some times; `None` of none.
pub fn p99(times: &[f64]) -> Option<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((sorted.len() * 99).div_ceil(100).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_time_in_a_hundred_is_above_the_p99() {
        let times: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(p99(&times), Some(198.0));
        assert_eq!((p99(&[7.0]), p99(&[])), (Some(7.0), None));
    }

    #[test]
    fn a_stream_ends_in_its_own_headers_or_data() {
        let headers = |flags, stream| [&[0, 0, 1, 1, flags, 0, 0, 0, stream, 0x88][..], &[]].concat();
        assert!(ends_stream(&headers(5, 1), 1) && ends_stream(&headers(5, 3), 3));
        assert!(!ends_stream(&headers(4, 1), 1) && !ends_stream(&headers(5, 3), 1));
        let data = [0, 0, 2, 0, 1, 0, 0, 0, 1, b'h', b'i'];
        assert!(ends_stream(&[&headers(4, 1)[..], &data].concat(), 1));
        // SETTINGS with the flag ACK end nothing.
        assert!(!ends_stream(&[0, 0, 0, 4, 1, 0, 0, 0, 1], 1));
    }
}
