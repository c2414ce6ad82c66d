//! The same messages over a WebSocket again and again, identical to the byte: head and message are one piece, with the same key and mask.

use std::io::{self, Read, Write};
use std::net::TcpStream;

/// Any will do: what it is answered with was checked by the prover. This is the example of RFC 6455.
const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];
/// Largest head of an answer.
const LARGEST_HEAD: usize = 16 * 1024;
/// A whole binary message, and its masked kind.
const BINARY: u8 = 0x82;
const MASKED: u8 = 0x80;
/// In place of a length: it follows in two bytes, or in eight.
const IN_TWO: u8 = 0x7e;
const IN_EIGHT: u8 = 0x7f;

/// Makes a WebSocket of a connection.
pub(super) fn open(stream: &mut TcpStream, path: &str) -> io::Result<()> {
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: {KEY}\r\n\
         sec-websocket-version: 13\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < LARGEST_HEAD {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    if head.starts_with(b"HTTP/1.1 101") {
        return Ok(());
    }
    let line = String::from_utf8_lossy(&head[..head.len().min(40)])
        .escape_debug()
        .to_string();
    Err(io::Error::other(format!("no WebSocket: {line}")))
}

/// Sends the message with this number, and reads its echo.
pub(super) fn echo(stream: &mut TcpStream, bytes: usize, number: usize) -> io::Result<()> {
    let letter = b'a' + u8::try_from(number % 26).unwrap_or_default();
    let mut frame = head(bytes, MASKED);
    frame.extend(MASK);
    frame.extend(MASK.iter().cycle().take(bytes).map(|mask| mask ^ letter));
    stream.write_all(&frame)?;
    let mut expected = head(bytes, 0);
    expected.resize(expected.len() + bytes, letter);
    let mut came = vec![0; expected.len()];
    stream.read_exact(&mut came)?;
    if came == expected {
        Ok(())
    } else {
        Err(io::Error::other("another message than was sent"))
    }
}

/// The beginning of a frame with so many bytes (RFC 6455, 5.2).
fn head(bytes: usize, masked: u8) -> Vec<u8> {
    match (u8::try_from(bytes), u16::try_from(bytes)) {
        (Ok(short @ ..=125), _) => vec![BINARY, masked | short],
        (_, Ok(longer)) => [&[BINARY, masked | IN_TWO][..], &longer.to_be_bytes()].concat(),
        _ => [&[BINARY, masked | IN_EIGHT][..], &(bytes as u64).to_be_bytes()].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_has_the_shortest_form() {
        assert_eq!(head(125, 0), [0x82, 125]);
        assert_eq!(head(126, MASKED), [0x82, 0xfe, 0, 126]);
        assert_eq!(head(65_536, 0), [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
    }
}
