//! Single requests by hand, bounded in time and bytes, over connections that are kept.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Longest wait for the answer to `GET /`.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// Most bytes of an answer to `GET /`.
const MOST: usize = 64 << 10;
/// `GET /` over HTTP/1.1, on a connection that is kept.
pub const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// Fields of `GET /` as HPACK of the static table.
const FIELDS: &[u8] = b"\x82\x86\x84\x41\x09localhost";

/// The beginning of an HTTP/2 connection that asks for `fields` on stream 1.
pub fn http2_request(fields: &[u8]) -> Vec<u8> {
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    bytes.extend([
        0,
        0,
        u8::try_from(fields.len()).expect("short fields"),
        1,
        5,
        0,
        0,
        0,
        1,
    ]);
    bytes.extend(fields);
    bytes
}

/// A connection that has been answered, and is open. The error says what came instead.
pub fn answered(address: SocketAddr, http2: bool) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    if http2 {
        stream.write_all(&http2_request(FIELDS))?;
    } else {
        stream.write_all(GET)?;
    }
    let began = Instant::now();
    let (mut came, mut buffer) = (Vec::new(), [0; 4096]);
    while came.len() < MOST && began.elapsed() < PATIENCE {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Err(io::Error::other("it closed the connection"));
        }
        came.extend(&buffer[..count]);
        if if http2 {
            ends_stream(&came)
        } else {
            came.ends_with(b"Hello, World!")
        } {
            if http2 {
                stream.write_all(b"\0\0\0\x04\x01\0\0\0\0")?;
            }
            return Ok(stream);
        }
    }
    Err(io::Error::other("it sent something else than the answer"))
}

/// Whether frames end stream 1: HEADERS or DATA with the flag END_STREAM.
fn ends_stream(mut frames: &[u8]) -> bool {
    while let [a, b, c, kind, flags, _, _, _, id, rest @ ..] = frames {
        if *kind <= 1 && flags & 1 == 1 && *id == 1 {
            return true;
        }
        let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        let Some(next) = rest.get(length..) else { return false };
        frames = next;
    }
    false
}
