//! An HTTP client that trusts no server: answers are limited in size and time, and redirects are not followed.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::{http1, http2};
use hyper::{HeaderMap, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rand_chacha::ChaCha8Rng;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sockets::{Socket, SocketError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::half_closed::HalfClosed;
use super::streams::Streams;
use super::{Backend, Symptom, Violation};
use crate::shared_files::{Certificate, alpn};
use crate::workload::Workload;
use machine::interrupt;
use model::AnswerHead;
use model::scenario::Protocol;

/// The load generator's name and the same fields in the same order, or a server could behave for the prover and cheat under load. A test
/// compares the bytes with the real oha's.
const USER_AGENT: &str = "oha/1.16.0";
/// How often a wait for an answer looks whether the user wants to stop.
const INTERRUPT_POLL: Duration = Duration::from_millis(100);
/// Longest time for one answer. The slowest request takes about 50 ms on its own; a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest answer that is read; the largest of the contract has 1.3 MB.
const LARGEST_ANSWER: usize = 4 << 20;
pub(super) const JSON: &str = "application/json";
/// Longest request body that a message quotes.
const LONGEST_BODY: usize = 1000;
/// Longest part of an answer that a message quotes.
const LONGEST_QUOTE: usize = 120;
/// Bytes that end a line of a head.
const LINE_END: usize = 2;

/// A client of one server. It uses one connection as long as the server keeps it open.
#[derive(Debug)]
pub struct Client {
    runtime: Runtime,
    pub(super) address: SocketAddr,
    protocol: Protocol,
    tls: Option<Arc<ClientConfig>>,
    open: RefCell<Option<Sender>>,
    patience: Duration,
    answered: Cell<u64>,
    pub(crate) backend: Backend,
    /// Whether its requests are the same to the byte in each run, instead of the load generator's.
    is_steady: bool,
}

/// A field of the head, besides the usual ones.
pub type Field = (&'static str, String);

/// A request, as it is sent. A body comes with its content type.
#[derive(Debug, Clone, Copy)]
struct Request<'a> {
    method: &'static str,
    path: &'a str,
    fields: &'a [Field],
    body: Option<(&'a str, &'a str)>,
}

impl Request<'_> {
    /// For messages.
    fn quoted(&self) -> String {
        let mut quoted = format!("{} {}", self.method, self.path);
        for (name, value) in self.fields {
            quoted = format!("{quoted}, {name}: {}", quote(value.as_bytes()));
        }
        match self.body {
            None => quoted,
            Some((_, body)) if body.len() > LONGEST_BODY => format!("{quoted} with {} kB", body.len() / 1000),
            Some((_, body)) => format!("{quoted} {}", quote(body.as_bytes())),
        }
    }
}

/// One end of an open connection.
#[derive(Debug)]
enum Sender {
    One(http1::SendRequest<Full<Bytes>>),
    Two(http2::SendRequest<Full<Bytes>>, Streams),
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    /// Method, path and body of the request.
    pub request: String,
    /// HTTP status.
    pub status: u16,
    /// Fields of its head.
    pub fields: HeaderMap,
    /// Body.
    pub body: Vec<u8>,
    /// The pieces in which the body came: when, counted from the request on, and how many bytes.
    pub pieces: Vec<(Duration, usize)>,
}

impl Client {
    /// A client of the server at `address`, which must speak `protocol`.
    pub fn new(address: SocketAddr, protocol: Protocol) -> io::Result<Self> {
        let own = protocol.is_tls().then(Certificate::own).transpose()?;
        Ok(Self {
            runtime: Builder::new_current_thread().enable_all().build()?,
            address,
            protocol,
            tls: own.map(|own| own.client(protocol)).transpose()?,
            open: RefCell::new(None),
            patience: PATIENCE,
            answered: Cell::new(0),
            backend: Backend::default(),
            is_steady: false,
        })
    }

    /// A client whose requests are each one piece, without anything that differs from run to run, such as a port.
    pub(super) fn steady(address: SocketAddr) -> io::Result<Self> {
        let client = Self::new(address, Protocol::Http1)?;
        Ok(Self {
            is_steady: true,
            ..client
        })
    }

    /// With what stands behind the server, by which its answers are checked.
    #[must_use]
    pub fn with_backend(self, backend: Backend) -> Self {
        Self { backend, ..self }
    }

    /// With another longest time for one answer.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Streams that the server allows at once on a connection (`SETTINGS_MAX_CONCURRENT_STREAMS`), known once it has answered; `u32::MAX` where
    /// it sets no limit, `None` over HTTP/1.1.
    pub fn streams_allowed(&self) -> Option<u32> {
        match &*self.open.borrow() {
            Some(Sender::Two(_, streams)) => Some(streams.allowed()),
            _ => None,
        }
    }

    /// Answers that it has read to their end.
    pub fn answered(&self) -> u64 {
        self.answered.get()
    }

    /// `GET path`.
    pub fn get(&self, path: &str) -> Result<Answer, Violation> {
        self.get_with(path, &[])
    }

    /// `GET path` with more fields in the head.
    pub fn get_with(&self, path: &str, fields: &[Field]) -> Result<Answer, Violation> {
        self.request("GET", path, fields, None)
    }

    /// `POST path` with a body that is declared as JSON.
    pub fn post(&self, path: &str, body: &str) -> Result<Answer, Violation> {
        self.post_as(JSON, path, body)
    }

    /// `POST path` with a body that is declared as `content_type`.
    pub fn post_as(&self, content_type: &str, path: &str, body: &str) -> Result<Answer, Violation> {
        self.request("POST", path, &[], Some((content_type, body)))
    }

    /// A request of a load.
    pub(super) fn request_of(&self, load: &Workload<'_>, rng: &mut ChaCha8Rng) -> Result<Answer, Violation> {
        let path = load.path(rng);
        let body = load.body(rng).map(|body| (load.content_type(), body));
        self.request(load.scenario.method.as_str(), path, &load.headers, body)
    }

    /// Sends a request over the open connection, or a new one, and reads the answer.
    pub fn request(
        &self,
        method: &'static str,
        path: &str,
        fields: &[Field],
        body: Option<(&str, &str)>,
    ) -> Result<Answer, Violation> {
        let request = Request {
            method,
            path,
            fields,
            body,
        };
        let answer = self.patiently(self.exchange(request));
        let answer = answer.map_err(|error| Violation::silence(request.quoted(), "an answer", format!("{error:#}")))?;
        self.answered.set(self.answered.get() + 1);
        Ok(answer)
    }

    /// Keeps the connection no longer; the next request opens another.
    pub(super) fn close(&self) {
        self.open.replace(None);
    }

    /// Opens a WebSocket and talks over it as `talk` does, within the time that one answer may take.
    pub fn over_socket<T>(
        &self,
        path: &str,
        rng: &mut ChaCha8Rng,
        talk: impl AsyncFnOnce(&mut Socket) -> Result<T, SocketError>,
    ) -> Result<T, Violation> {
        let talk = async {
            let mut socket = Socket::open(self.address, path, rng).await?;
            Ok(talk(&mut socket).await?)
        };
        self.patiently(talk).map_err(|error| {
            let request = format!("a WebSocket at {path}");
            let blame = if error.is::<SocketError>() {
                Violation::wrong
            } else {
                Violation::silence
            };
            blame(request, "every message to come back", error.to_string())
        })
    }

    /// Awaits something as long as an answer may take, or until the user wants to stop.
    pub(super) fn patiently<T>(&self, awaited: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
        self.runtime.block_on(async {
            let until = Instant::now() + self.patience;
            let mut awaited = pin!(awaited);
            loop {
                let pause = INTERRUPT_POLL.min(self.patience);
                if let Ok(outcome) = timeout(pause, awaited.as_mut()).await {
                    return outcome;
                }
                ensure!(interrupt::check().is_ok(), "an interrupt");
                ensure!(Instant::now() < until, "nothing within {} s", self.patience.as_secs());
            }
        })
    }

    async fn exchange(&self, request: Request<'_>) -> anyhow::Result<Answer> {
        let mut sent = Instant::now();
        let mut sender = self.open.borrow_mut().take();
        let mut response = None;
        if let Some(kept) = &mut sender {
            response = self.send(kept, request).await.ok();
        }
        let response = if let Some(response) = response {
            response
        } else {
            // The server may have closed the kept connection; a new one it must serve.
            let new = sender.insert(self.connect().await?);
            sent = Instant::now();
            self.send(new, request).await?
        };
        let (head, body) = response.into_parts();
        let status = head.status.as_u16();
        let read = read(body, sent).await;
        let (body, pieces) = read.with_context(|| format!("status {status} and half a body"))?;
        self.open.replace(sender);
        Ok(Answer {
            request: request.quoted(),
            status,
            fields: head.headers,
            body,
            pieces,
        })
    }

    async fn connect(&self) -> anyhow::Result<Sender> {
        let stream = tokio::net::TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let Some(config) = &self.tls else {
            return self.shake_hands(stream).await;
        };
        let name = ServerName::from(self.address.ip());
        let stream = match TlsConnector::from(Arc::clone(config)).connect(name, stream).await {
            Ok(stream) => stream,
            // A server that speaks no TLS 1.3 says so.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                bail!("the end of the connection during the TLS handshake")
            }
            Err(error) => bail!("no TLS 1.3: {error}"),
        };
        let chosen = stream.get_ref().1.alpn_protocol();
        // A server without ALPN speaks HTTP/1.1.
        if chosen != Some(alpn(self.protocol)) && (self.protocol.is_http2() || chosen.is_some()) {
            bail!("{} by ALPN", chosen.map_or("nothing".into(), String::from_utf8_lossy));
        }
        self.shake_hands(stream).await
    }

    async fn shake_hands<S>(&self, stream: S) -> anyhow::Result<Sender>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        // If a connection breaks, its request fails and reports it.
        if self.protocol.is_http2() {
            let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
            Ok(Sender::Two(sender, Streams::drive(connection)))
        } else {
            let mut builder = http1::Builder::new();
            // Head and body in one piece.
            builder.writev(false);
            let (sender, connection) = builder.handshake(TokioIo::new(HalfClosed(stream))).await?;
            drop(tokio::spawn(connection));
            Ok(Sender::One(sender))
        }
    }

    async fn send(&self, sender: &mut Sender, request: Request<'_>) -> anyhow::Result<Response<Incoming>> {
        let mut built = hyper::Request::builder().method(request.method);
        let mut head: Vec<Field> = if self.is_steady {
            vec![("host", "localhost".into())]
        } else {
            vec![("accept", "*/*".into()), ("user-agent", USER_AGENT.into())]
        };
        let content_type = request.body.map(|(content_type, _)| content_type.to_owned());
        head.extend(content_type.map(|content_type| ("content-type", content_type)));
        head.extend_from_slice(request.fields);
        built = if self.protocol.is_http2() {
            let scheme = if self.protocol.is_tls() { "https" } else { "http" };
            built.uri(format!("{scheme}://{}{}", self.address, request.path))
        } else {
            head.extend((!self.is_steady).then(|| ("host", self.address.to_string())));
            built.uri(request.path)
        };
        for (name, value) in head {
            built = built.header(name, value);
        }
        let body = request.body.map_or("", |(_, body)| body);
        let built = built.body(Full::from(body.to_owned()))?;
        Ok(match sender {
            Sender::One(sender) => sender.send_request(built).await?,
            Sender::Two(sender, _) => sender.send_request(built).await?,
        })
    }
}

/// A body, and when its pieces came.
async fn read(mut body: Incoming, sent: Instant) -> anyhow::Result<(Vec<u8>, Vec<(Duration, usize)>)> {
    let (mut read, mut pieces) = (Vec::new(), Vec::new());
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            pieces.push((sent.elapsed(), data.len()));
            read.extend_from_slice(&data);
        }
        ensure!(read.len() <= LARGEST_ANSWER, "more than {LARGEST_ANSWER} bytes");
    }
    Ok((read, pieces))
}

impl Answer {
    /// Its head, as long as HTTP/1.1 writes it.
    pub(super) fn head(&self) -> AnswerHead {
        let fields = self.fields.iter();
        let lengths = fields.map(|(name, value)| name.as_str().len() + ": ".len() + value.len() + LINE_END);
        let status = StatusCode::from_u16(self.status).unwrap_or_default();
        let bytes = format!("HTTP/1.1 {status}").len() + LINE_END + lengths.sum::<usize>() + LINE_END;
        AnswerHead {
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            fields: self.fields.keys().map(|name| name.as_str().to_owned()).collect(),
        }
    }

    /// A field of the head, empty if there is none.
    pub fn field(&self, name: &str) -> Cow<'_, str> {
        let value = self.fields.get(name);
        value.map_or(Cow::Borrowed(""), |value| String::from_utf8_lossy(value.as_bytes()))
    }

    /// A violation by this answer.
    pub fn violation(&self, expected: impl Display, got: impl Display) -> Violation {
        Violation {
            request: self.request.clone(),
            expected: expected.to_string(),
            got: got.to_string(),
            symptom: Symptom::from_status(self.status),
        }
    }

    /// Fails unless it `holds`.
    pub fn ensure(&self, holds: bool, expected: impl Display, got: impl Display) -> Result<(), Violation> {
        if holds {
            Ok(())
        } else {
            Err(self.violation(expected, got))
        }
    }

    /// Fails unless the status is one that is `expected`.
    pub fn expect(&self, holds: bool, expected: impl Display) -> Result<(), Violation> {
        let got = format!("status {}, {}", self.status, self.quoted());
        self.ensure(holds, expected, got)
    }

    /// Fails unless the status is `status`.
    pub fn expect_status(&self, status: u16) -> Result<(), Violation> {
        self.expect(self.status == status, format_args!("status {status}"))
    }

    /// Fails unless the request was refused: by this `status` or any 4xx, and with a body if it must give a `reason`.
    pub fn expect_refusal(&self, status: Option<u16>, reason: bool) -> Result<(), Violation> {
        let is_refused = status.map_or((400..500).contains(&self.status), |status| self.status == status);
        let status = status.map_or("a status 4xx".into(), |status| format!("status {status}"));
        let with = if reason { " with a body" } else { "" };
        let holds = is_refused && !(reason && self.body.is_empty());
        self.expect(holds, format_args!("{status}{with}"))
    }

    /// The body, if status and content type are the expected ones.
    pub fn expect_type(&self, status: u16, content_type: &str) -> Result<&[u8], Violation> {
        self.expect_status(status)?;
        // Parameters such as `charset=utf-8` are the framework's choice.
        let declared = self.field("content-type");
        let essence = declared.split(';').next().unwrap_or_default().trim();
        let holds = essence.eq_ignore_ascii_case(content_type);
        let expected = format!("content type {content_type}");
        self.ensure(holds, expected, format_args!("{declared:?}"))?;
        Ok(&self.body)
    }

    /// Fails unless it is this text.
    pub fn expect_text(&self, text: &str) -> Result<(), Violation> {
        let holds = self.expect_type(200, "text/plain")? == text.as_bytes();
        self.ensure(holds, format_args!("`{text}`"), self.quoted())
    }

    /// Fails unless it is this JSON, whatever the order of its fields.
    pub fn expect_json(&self, status: u16, expected: &Value) -> Result<(), Violation> {
        let holds = self.parse::<Value>(status)? == *expected;
        self.ensure(holds, quote(expected.to_string().as_bytes()), self.quoted())
    }

    /// What it says in JSON, with status 200.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Violation> {
        self.parse(200)
    }

    fn parse<T: DeserializeOwned>(&self, status: u16) -> Result<T, Violation> {
        let body = self.expect_type(status, JSON)?;
        serde_json::from_slice(body)
            .map_err(|error| self.violation("the JSON of the contract", format_args!("{} ({error})", self.quoted())))
    }

    /// The beginning of the body, for people.
    pub fn quoted(&self) -> String {
        if self.body.is_empty() {
            "no body".into()
        } else {
            quote(&self.body)
        }
    }
}

/// Text that is safe to show: shortened, with control characters escaped. Quotation marks, of which JSON is full, are left as they are.
fn quote(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST_QUOTE)]);
    let mut letters = text.chars();
    let shown = |letter: char| match letter {
        '"' | '\'' => letter.to_string(),
        other => other.escape_debug().to_string(),
    };
    let quoted: String = letters.by_ref().take(LONGEST_QUOTE).map(shown).collect();
    let more = letters.next().map_or("", |_| "…");
    format!("`{quoted}{more}`")
}
