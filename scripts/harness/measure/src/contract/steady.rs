//! Sends the same request again and again, identical to the byte, so that the work of a server for it can be counted.
//!
//! [`Client`](super::Client) writes head and body separately, and whether the server reads them in one piece or two depends on
//! chance. Here a request is one piece, over one connection, without anything that differs from run to run, such as a port.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use sockets::{Kind, Socket, SocketError};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::client::{Field, LARGEST_ANSWER};
use super::{Symptom, Violation};
use crate::workload::Workload;

/// Longest wait for one answer; under valgrind everything takes fifty times as long.
const PATIENCE: Duration = Duration::from_secs(30);
/// More headers than any answer has.
const MOST_HEADERS: usize = 64;
const CHUNK: usize = 16 * 1024;

/// One connection to one server, and a new one after each answer that the end of its connection ends.
#[derive(Debug)]
pub struct Steady {
    address: SocketAddr,
    stream: TcpStream,
    /// Longest wait for an answer.
    patience: Duration,
    /// Whether the server has ended the connection with its last answer.
    is_closed: bool,
    /// Method and path of the last request.
    request: String,
    /// The WebSocket, if there is one.
    socket: Option<(Runtime, Socket)>,
}

impl Steady {
    /// Connects to the server at `address`. One that does not accept breaks the contract, or is dead.
    pub fn connect(address: SocketAddr) -> Result<Self, Violation> {
        let silence = |error: io::Error| Violation::silence("a connection", "to be accepted", error.to_string());
        Ok(Self {
            address,
            stream: connect(address).map_err(silence)?,
            patience: PATIENCE,
            is_closed: false,
            request: String::new(),
            socket: None,
        })
    }

    /// The same with another limit for the wait for an answer.
    pub fn patient(self, patience: Duration) -> io::Result<Self> {
        self.stream.set_read_timeout(Some(patience))?;
        Ok(Self { patience, ..self })
    }

    /// Sends the request with this number of a load, and reads its answer, which must be a 200.
    pub fn ask(&mut self, asked: &Workload<'_>, number: usize) -> Result<(), Violation> {
        let (paths, bodies) = (asked.paths(), asked.bodies());
        let path = &paths[number % paths.len()];
        if let Some(bytes) = asked.message_bytes() {
            let silence = |error: SocketError| {
                let request = format!("a message over the WebSocket at {path}");
                Violation::silence(request, "its echo", error.to_string())
            };
            return self.echo(path, bytes, number).map_err(silence);
        }
        let content_type = asked.content_type();
        let body = bodies.get(number % bodies.len().max(1));
        let body = body.map(|body| (&*content_type, body.as_str()));
        self.send_with(asked.scenario().method.as_str(), path, asked.headers(), body)?;
        self.receive()
    }

    /// Sends a message of so many bytes over a WebSocket at `path`, which is opened before the first one, and reads the echo.
    fn echo(&mut self, path: &str, bytes: usize, number: usize) -> Result<(), SocketError> {
        // The same keys and masks each time.
        let (runtime, socket) = match &mut self.socket {
            Some(open) => open,
            none @ None => {
                let runtime = Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .map_err(SocketError::Handshake)?;
                let mut rng = ChaCha8Rng::seed_from_u64(0);
                let socket = runtime.block_on(Socket::open(self.address, path, &mut rng))?;
                none.insert((runtime, socket))
            }
        };
        let message = vec![b'a' + u8::try_from(number % 26).unwrap_or_default(); bytes];
        let echo = async { timeout(self.patience, socket.echo(Kind::Binary, &message)).await };
        runtime.block_on(echo).unwrap_or(Err(SocketError::Unanswered))
    }

    /// Sends a request, with or without a JSON body.
    pub fn send(&mut self, method: &str, path: &str, body: Option<&str>) -> Result<(), Violation> {
        self.send_with(method, path, &[], body.map(|body| ("application/json", body)))
    }

    fn send_with(
        &mut self,
        method: &str,
        path: &str,
        fields: &[Field],
        body: Option<(&str, &str)>,
    ) -> Result<(), Violation> {
        self.request = format!("{method} {path}");
        let mut send = || {
            if self.is_closed {
                self.stream = connect(self.address)?;
                self.is_closed = false;
            }
            self.stream.write_all(&request(method, path, fields, body))
        };
        send().map_err(|error| self.silence(error.to_string()))
    }

    /// Reads the next answer, which must be a 200.
    pub fn receive(&mut self) -> Result<(), Violation> {
        match self.read() {
            Ok(200) => Ok(()),
            Ok(status) => Err(Violation {
                symptom: Symptom::from_status(status),
                ..self.silence(format!("status {status}"))
            }),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(self.silence("nothing in time".into())),
            Err(error) => Err(self.silence(error.to_string())),
        }
    }

    /// Whether an unread answer, or the end of the connection, has arrived.
    pub fn has_answer(&self) -> io::Result<bool> {
        self.stream.set_nonblocking(true)?;
        let seen = self.stream.peek(&mut [0]);
        self.stream.set_nonblocking(false)?;
        Ok(!seen.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock))
    }

    fn silence(&self, got: String) -> Violation {
        Violation::silence(&self.request, "status 200", got)
    }

    fn read(&mut self) -> io::Result<u16> {
        let mut answer = Vec::new();
        let mut chunk = vec![0; CHUNK];
        let began = Instant::now();
        loop {
            let count = self.stream.read(&mut chunk)?;
            self.is_closed = count == 0;
            answer.extend_from_slice(&chunk[..count]);
            if let Some(status) = complete_status(&answer, self.is_closed)? {
                return Ok(status);
            }
            if self.is_closed {
                return Err(io::Error::other("the connection was closed before the answer ended"));
            }
            // Each read waits for the next byte only.
            if began.elapsed() > self.patience {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            if answer.len() > LARGEST_ANSWER {
                return Err(io::Error::other(format!(
                    "an answer of more than {LARGEST_ANSWER} bytes"
                )));
            }
        }
    }
}

fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

fn request(method: &str, path: &str, fields: &[Field], body: Option<(&str, &str)>) -> Vec<u8> {
    let fields = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let fields: String = fields.collect();
    let line = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{fields}");
    let rest = body.map_or_else(
        || "\r\n".to_owned(),
        |(content_type, body)| {
            format!(
                "content-type: {content_type}\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )
        },
    );
    (line + &rest).into_bytes()
}

/// Status of a complete answer; `None` if it is not complete yet. One that names no length ends when the connection is closed.
fn complete_status(answer: &[u8], is_closed: bool) -> io::Result<Option<u16>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut head = httparse::Response::new(&mut headers);
    let length = match head.parse(answer).map_err(io::Error::other)? {
        httparse::Status::Complete(length) => length,
        httparse::Status::Partial => return Ok(None),
    };
    let value = |name: &str| {
        let header = head
            .headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name));
        header.and_then(|header| std::str::from_utf8(header.value).ok())
    };
    let body = &answer[length..];
    let ended = match value("content-length") {
        Some(length) => {
            let length: usize = length.trim().parse().map_err(io::Error::other)?;
            body.len() >= length
        }
        None if value("transfer-encoding").is_some() => body.ends_with(b"0\r\n\r\n"),
        None => is_closed,
    };
    Ok(head.code.filter(|_| ended))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profiles;

    #[test]
    fn an_answer_ends_where_its_length_says() {
        let ended = |answer: &str| complete_status(answer.as_bytes(), false).unwrap();
        assert_eq!(ended("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), Some(200));
        assert_eq!(ended("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh"), None);
        assert_eq!(ended("HTTP/1.1 200 OK\r\nContent-Le"), None);
        let chunked = "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n";
        assert_eq!(ended(chunked), None);
        assert_eq!(ended(&format!("{chunked}0\r\n\r\n")), Some(500));
        let without = "HTTP/1.1 200 OK\r\n\r\nhi";
        assert_eq!(ended(without), None);
        assert_eq!(complete_status(without.as_bytes(), true).unwrap(), Some(200));
        assert_eq!(complete_status(chunked.as_bytes(), true).unwrap(), None);
    }

    #[test]
    fn an_answer_that_ends_with_its_connection_is_followed_by_another_connection() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let serving = std::thread::spawn(move || {
            for connection in server.incoming().take(2) {
                let mut connection = connection.unwrap();
                assert!(connection.read(&mut [0; 1024]).unwrap() > 0);
                connection.write_all(b"HTTP/1.1 200 OK\r\n\r\nhi").unwrap();
            }
        });
        let mut client = Steady::connect(address).unwrap();
        for _ in 0..2 {
            client.send("GET", "/", None).unwrap();
            client.receive().unwrap();
        }
        serving.join().unwrap();
        client.send("GET", "/", None).unwrap_err();
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for answer in ["SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"] {
            assert!(complete_status(answer.as_bytes(), false).is_err(), "{answer:?}");
        }
    }

    #[test]
    fn who_does_not_accept_has_not_answered() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        assert!(Steady::connect(address).is_ok());
        drop(taken);
        assert!(Steady::connect(address).unwrap_err().symptom == Symptom::Silence);
    }

    #[test]
    fn a_request_is_one_piece() {
        let profiles = Profiles::built_in();
        let quick = profiles.profile("quick").unwrap();
        let text = |name| {
            let asked = profiles.scenario(name, quick).unwrap();
            String::from_utf8(request(
                asked.method.as_str(),
                &asked.path,
                &[],
                asked.body.as_deref().map(|body| ("application/json", body)),
            ))
            .unwrap()
        };
        assert_eq!(text("plaintext"), "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert!(text("simple").ends_with("content-length: 19\r\n\r\n{\"payload\":\"world\"}"));
    }
}
