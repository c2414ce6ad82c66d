//! Servers that are right once, at the check for readiness, and try the patience of every client from then on. They
//! speak HTTP/1.1, or HTTP/2 in cleartext where `HTTP` is 2.

use std::io::{Read, Write, copy, sink};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use crate::Serve;
use crate::plain::Fault;

/// An empty frame of SETTINGS, and its acknowledgement.
const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0\0\0\0\x04\x01\0\0\0\0";
/// A head with status 200 on stream 1, and behind it a body that ends the stream.
const ANSWER: &[u8] = b"\0\0\x01\x01\x04\0\0\0\x01\x88\0\0\x0d\0\x01\0\0\0\x01Hello, World!";
/// Bytes before the first frame.
const PREFACE: usize = 24;
/// The type of a frame that is a head.
const HEADERS: u8 = 1;

/// A server that is right until it is ready.
pub struct Hostile {
    fault: Fault,
    is_http2: bool,
    /// Whether it says nothing before a request.
    waits: bool,
    /// Whether it has been right.
    is_ready: AtomicBool,
}

impl Hostile {
    /// One that was right already, and waits for a request.
    pub fn new(fault: Fault, is_http2: bool) -> Self {
        Self {
            fault,
            is_http2,
            waits: true,
            is_ready: AtomicBool::new(true),
        }
    }

    /// One that is right once, and speaks what `HTTP` says.
    pub(crate) fn once_ready(fault: Fault) -> Self {
        Self {
            fault,
            is_http2: std::env::var("HTTP").is_ok_and(|http| http == "2"),
            waits: false,
            is_ready: AtomicBool::new(false),
        }
    }

    /// The right answer, once a request has come.
    fn answer(&self, mut stream: TcpStream) -> Option<()> {
        stream.set_nodelay(true).ok()?;
        let (mut came, mut part) = (Vec::new(), [0; 1024]);
        if self.is_http2 {
            stream.write_all(SETTINGS).ok()?;
        }
        while !has_request(&came, self.is_http2) {
            let count = stream.read(&mut part).ok().filter(|count| *count > 0)?;
            came.extend(&part[..count]);
        }
        let said = if self.is_http2 {
            ANSWER
        } else {
            b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!"
        };
        // Before it answers, because its client may come back at once.
        self.is_ready.store(true, Ordering::Relaxed);
        stream.write_all(said).ok()?;
        copy(&mut stream, &mut sink()).ok().and(None)
    }
}

impl Serve for Hostile {
    fn talk(&self, mut stream: TcpStream) -> Option<()> {
        if self.waits {
            let _ = stream.read(&mut [0; 1024]).ok()?;
        }
        if self.is_ready.load(Ordering::Relaxed) {
            treat(stream, self.fault, self.is_http2)
        } else {
            self.answer(stream)
        }
    }
}

fn has_request(came: &[u8], is_http2: bool) -> bool {
    if !is_http2 {
        return came.ends_with(b"\r\n\r\n");
    }
    let mut frames = came.get(PREFACE..).unwrap_or_default();
    while let [a, b, c, kind, _, _, _, _, _, rest @ ..] = frames {
        let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        if *kind == HEADERS && rest.len() >= length {
            return true;
        }
        frames = rest.get(length..).unwrap_or_default();
    }
    false
}

/// What every client gets once the server is ready, whatever it requests. The pauses leave some of the machine to others.
fn treat(mut stream: TcpStream, fault: Fault, is_http2: bool) -> Option<()> {
    let body = [b'x'; 16 << 10];
    let (first, then, pause): (&[u8], Vec<u8>, u64) = match (fault, is_http2) {
        (Fault::AnswersWithoutEnd, false) => (
            b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n",
            body.into(),
            1,
        ),
        // Frames of DATA on stream 1, each of 16 KiB.
        (Fault::AnswersWithoutEnd, true) => (SETTINGS, [b"\0\x40\0\0\0\0\0\0\x01".as_slice(), &body].concat(), 1),
        (Fault::FieldsWithoutEnd, false) => (b"HTTP/1.1 200 OK\r\n", b"x-endless: field\r\n".repeat(100), 1),
        // A head that is not at its end, and is continued: each time by a field `x: a`.
        (Fault::FieldsWithoutEnd, true) => (
            b"\0\0\0\x04\0\0\0\0\0\0\0\x01\x01\0\0\0\0\x01\x88",
            b"\0\0\x05\x09\0\0\0\0\x01\0\x01x\x01a".repeat(100),
            1,
        ),
        (Fault::Drips, false) => (b"HTTP/1.1 200 OK\r\nx-endless: ", b"x".into(), 100),
        // Zeros are frames of DATA without data.
        (Fault::Drips, true) => (SETTINGS, vec![0], 100),
        // It reads on, and says nothing.
        _ => return copy(&mut stream, &mut sink()).ok().and(None),
    };
    stream.write_all(first).ok()?;
    loop {
        stream.write_all(&then).ok()?;
        sleep(Duration::from_millis(pause));
    }
}
