//! A WebSocket over which one message is sent and one is awaited.

use std::net::SocketAddr;

use fastwebsockets::{FragmentCollector, Frame, OpCode, Payload, Role, WebSocket, WebSocketError};
use rand::Rng;
use tokio::net::TcpStream;

use crate::handshake::{HandshakeError, shake_hands};

/// Largest message that is read; the largest that is sent has 64 KiB.
const LARGEST: usize = 1 << 20;

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

/// Why a WebSocket was of no use.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// There is none.
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
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
