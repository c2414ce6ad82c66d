//! A WebSocket over which one message is sent and one is awaited, with its opening handshake (RFC 6455, chapter 4).

use std::io;
use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fastwebsockets::{FragmentCollector, Frame, OpCode, Payload, Role, WebSocket, WebSocketError};
use rand::Rng;
use sha1::{Digest as _, Sha1};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Largest message that is read; the largest that is sent has 64 KiB.
const LARGEST: usize = 1 << 20;

/// What the standard appends to a key.
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Largest head of an answer, and most of its fields.
const LARGEST_HEAD: usize = 16 * 1024;
const MOST_FIELDS: usize = 64;

/// Whether the bytes of a message are text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8.
    Text,
    /// Any bytes.
    Binary,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Whether it is text.
    pub kind: Kind,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Why a WebSocket could not be used.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// The connection broke before there was one.
    #[error("the handshake of the WebSocket failed: {0}")]
    Handshake(#[from] io::Error),
    /// The server answered the handshake with something else.
    #[error("no WebSocket: {0}")]
    Refused(String),
    /// What came was no message.
    #[error("the WebSocket broke: {0}")]
    Broken(#[from] WebSocketError),
    /// The server ended it.
    #[error("the server closed the WebSocket")]
    Closed,
    /// Nothing came back in time.
    #[error("the server left a message unanswered")]
    Unanswered,
    /// A message that is not the one that was sent.
    #[error("the echo is another message than was sent")]
    OtherEcho,
}

/// One open WebSocket. Pings are answered while a message is awaited.
pub struct Socket(FragmentCollector<TcpStream>);

impl Socket {
    /// Opens one at `path`.
    pub async fn open(address: SocketAddr, path: &str, rng: &mut impl Rng) -> Result<Self, SocketError> {
        let stream = shake_hands(address, path, rng).await?;
        let mut socket = WebSocket::after_handshake(stream, Role::Client);
        socket.set_max_message_size(LARGEST);
        Ok(Self(FragmentCollector::new(socket)))
    }

    /// Sends a message.
    pub async fn send(&mut self, kind: Kind, bytes: &[u8]) -> Result<(), SocketError> {
        // The library masks what it sends in place, so that it needs bytes of its own.
        let payload = Payload::Owned(bytes.to_vec());
        let frame = match kind {
            Kind::Text => Frame::text(payload),
            Kind::Binary => Frame::binary(payload),
        };
        Ok(self.0.write_frame(frame).await?)
    }

    /// Awaits the next message.
    pub async fn receive(&mut self) -> Result<Message, SocketError> {
        loop {
            let frame = self.0.read_frame().await?;
            let kind = match frame.opcode {
                OpCode::Text => Kind::Text,
                OpCode::Binary => Kind::Binary,
                OpCode::Close => return Err(SocketError::Closed),
                OpCode::Continuation | OpCode::Ping | OpCode::Pong => continue,
            };
            let bytes = frame.payload.to_vec();
            return Ok(Message { kind, bytes });
        }
    }

    /// Sends a message, which must come back.
    pub async fn echo(&mut self, kind: Kind, bytes: &[u8]) -> Result<(), SocketError> {
        self.send(kind, bytes).await?;
        let message = self.receive().await?;
        if (message.kind, message.bytes.as_slice()) == (kind, bytes) {
            Ok(())
        } else {
            Err(SocketError::OtherEcho)
        }
    }

    /// Says that it ends, and awaits that the server says so too.
    pub async fn close(&mut self) -> Result<(), SocketError> {
        const NORMAL: u16 = 1000;
        self.0.write_frame(Frame::close(NORMAL, b"")).await?;
        loop {
            if self.0.read_frame().await?.opcode == OpCode::Close {
                return Ok(());
            }
        }
    }
}

impl std::fmt::Debug for Socket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Socket")
    }
}

/// Requests a WebSocket over a new connection.
async fn shake_hands(address: SocketAddr, path: &str, rng: &mut impl Rng) -> Result<TcpStream, SocketError> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let mut nonce = [0; 16];
    rng.fill_bytes(&mut nonce);
    let key = STANDARD.encode(nonce);
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n\
         Sec-WebSocket-Version: 13\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut head = Vec::new();
    // One byte after the other: what comes after the head belongs to the WebSocket.
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() == LARGEST_HEAD {
            return Err(SocketError::Refused(format!(
                "a head of more than {LARGEST_HEAD} bytes"
            )));
        }
        head.push(stream.read_u8().await?);
    }
    check(&head, &accepted(&key)).map_err(SocketError::Refused)?;
    Ok(stream)
}

/// What a server answers to a key.
pub(crate) fn accepted(key: &str) -> String {
    STANDARD.encode(Sha1::digest(format!("{key}{GUID}")))
}

fn check(head: &[u8], accepted: &str) -> Result<(), String> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut response = httparse::Response::new(&mut fields);
    response.parse(head).map_err(|error| error.to_string())?;
    if response.code != Some(101) {
        return Err(format!("status {} in place of 101", response.code.unwrap_or_default()));
    }
    let values = |wanted: &str| {
        let all = response.headers.iter();
        let found = all.filter(move |field| field.name.eq_ignore_ascii_case(wanted));
        found
            .map(|field| String::from_utf8_lossy(field.value).into_owned())
            .collect::<Vec<_>>()
            .join(",")
    };
    let lists = |wanted: &str, token: &str| {
        values(wanted)
            .split(',')
            .any(|one| one.trim().eq_ignore_ascii_case(token))
    };
    if !lists("upgrade", "websocket") || !lists("connection", "upgrade") {
        return Err("an answer that upgrades to something else".into());
    }
    if values("sec-websocket-accept").trim() != accepted {
        return Err("a Sec-WebSocket-Accept for another key".into());
    }
    // None was offered.
    for field in ["sec-websocket-extensions", "sec-websocket-protocol"] {
        if !values(field).is_empty() {
            return Err(format!("a {field} that nobody requested"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_must_be_to_this_key() {
        // The example of RFC 6455, 1.3.
        let accepted = accepted("dGhlIHNhbXBsZSBub25jZQ==");
        assert_eq!(accepted, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        let head = |status: u16, more: &str| {
            format!(
                "HTTP/1.1 {status} x\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Accept: {accepted}{more}\r\n\r\n"
            )
        };
        let reason = |head: &str| check(head.as_bytes(), &accepted).err().unwrap_or_default();
        assert_eq!(reason(&head(101, "")), "");
        assert_eq!(reason(&head(200, "")), "status 200 in place of 101");
        assert!(reason(&head(101, "x")).contains("for another key"));
        assert!(reason(&head(101, "\r\nSec-WebSocket-Extensions: permessage-deflate")).contains("nobody requested"));
        assert!(reason("HTTP/1.1 101 x\r\n\r\n").contains("something else"));
    }
}
