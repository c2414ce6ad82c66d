//! An HTTP client that trusts no server: answers are limited in size and time, and redirects are not followed.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::{http1, http2};
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rand_chacha::ChaCha8Rng;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use sockets::{Socket, SocketError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::TlsConnector;

use super::half_closed::HalfClosed;
use super::services::ServicesToProve;
use super::wire::{Certificate, alpn};
use super::{Symptom, Violation};
use crate::database::{Account, Database};
use crate::interrupt;
use record::scenario::Protocol;

/// The prover says that it is the load generator, and its requests have the same fields in the same order: a server that behaves
/// for the prover and cheats under load must not know them apart. A test compares the bytes with those of the real oha.
const USER_AGENT: &str = "oha/1.16.0";
/// How often a wait for an answer asks whether the user wants to stop.
const INTERRUPT_POLL: Duration = Duration::from_millis(100);
/// Longest time for one answer. The slowest request takes about 50 ms on its own; a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest answer that is read; the largest of the contract has 1.3 MB.
const LARGEST_ANSWER: usize = 4 << 20;
const JSON: &str = "application/json";
/// Longest request body that a message quotes.
const LONGEST_BODY: usize = 1000;
/// Longest part of an answer that a message quotes.
const LONGEST_QUOTE: usize = 120;

/// A client of one server. It uses one connection as long as the server keeps it open.
#[derive(Debug)]
pub struct Client {
    runtime: Runtime,
    address: SocketAddr,
    protocol: Protocol,
    tls: Option<Arc<ClientConfig>>,
    open: RefCell<Option<Sender>>,
    patience: Duration,
    answered: Cell<u64>,
    account: Option<Arc<Account>>,
    services: Option<ServicesToProve>,
}

/// One request, as it is sent.
#[derive(Debug, Clone, Copy)]
struct Asking<'a> {
    method: &'static str,
    path: &'a str,
    /// Fields of the head beside the usual ones.
    headers: &'a [(&'static str, String)],
    body: Option<Sent<'a>>,
}

/// A body and what it is declared as.
#[derive(Debug, Clone, Copy)]
struct Sent<'a> {
    content_type: &'a str,
    text: &'a str,
}

impl<'a> Asking<'a> {
    fn get(path: &'a str) -> Self {
        Self {
            method: "GET",
            path,
            headers: &[],
            body: None,
        }
    }

    fn post(path: &'a str, body: Option<Sent<'a>>) -> Self {
        Self {
            method: "POST",
            body,
            ..Self::get(path)
        }
    }
}

/// One end of an open connection.
#[derive(Debug)]
enum Sender {
    One(http1::SendRequest<Full<Bytes>>),
    Two(http2::SendRequest<Full<Bytes>>),
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    /// Method and path that were asked.
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

/// Why there was no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<hyper::Error> for Failure {
    fn from(error: hyper::Error) -> Self {
        // Hyper says what failed, and its source says why.
        let why = std::error::Error::source(&error).map(|source| format!(": {source}"));
        Self(format!("{error}{}", why.unwrap_or_default()))
    }
}

impl Client {
    /// A client of the server at `address`, which must speak `protocol`.
    pub fn new(address: SocketAddr, protocol: Protocol) -> io::Result<Self> {
        let tls = if protocol.is_tls() {
            Some(Certificate::own()?.client(protocol)?)
        } else {
            None
        };
        Ok(Self {
            runtime: Builder::new_current_thread().enable_all().build()?,
            address,
            protocol,
            tls,
            open: RefCell::new(None),
            patience: PATIENCE,
            answered: Cell::new(0),
            account: None,
            services: None,
        })
    }

    /// With the server's account of the database behind it, which is asked whether the answers are true.
    #[must_use]
    pub fn with_account(self, account: Arc<Account>) -> Self {
        let account = Some(account);
        Self { account, ..self }
    }

    /// With the services that the server does.
    #[must_use]
    pub fn with_services(self, services: ServicesToProve) -> Self {
        let services = Some(services);
        Self { services, ..self }
    }

    /// The services that the server does, if it is one of these.
    pub fn services(&self) -> Option<&ServicesToProve> {
        self.services.as_ref()
    }

    /// With another longest time for one answer.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The server's account of the database behind it.
    pub fn account(&self) -> Option<&Account> {
        self.account.as_deref()
    }

    /// The database behind the server.
    pub fn database(&self) -> Option<&Database> {
        self.account().map(|account| &**account.database())
    }

    /// Answers that it has read to their end.
    pub fn answered(&self) -> u64 {
        self.answered.get()
    }

    /// `GET path`.
    pub fn get(&self, path: &str) -> Result<Answer, Violation> {
        self.ask(format!("GET {path}"), Asking::get(path))
    }

    /// `GET path` with more fields in the head.
    pub fn get_with(&self, path: &str, headers: &[(&'static str, String)]) -> Result<Answer, Violation> {
        let request = headers.iter().fold(format!("GET {path}"), |request, (name, value)| {
            format!("{request}, {name}: {}", quote(value.as_bytes()))
        });
        self.ask(
            request,
            Asking {
                headers,
                ..Asking::get(path)
            },
        )
    }

    /// `POST path` with a body that is declared as JSON.
    pub fn post(&self, path: &str, body: &str) -> Result<Answer, Violation> {
        self.post_as(JSON, path, body)
    }

    /// `POST path` with a body that is declared as `content_type`.
    pub fn post_as(&self, content_type: &str, path: &str, body: &str) -> Result<Answer, Violation> {
        let request = if body.len() > LONGEST_BODY {
            format!("POST {path} with {} kB", body.len() / 1000)
        } else {
            format!("POST {path} {}", quote(body.as_bytes()))
        };
        let sent = Sent {
            content_type,
            text: body,
        };
        self.ask(request, Asking::post(path, Some(sent)))
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
            talk(&mut socket).await
        };
        let outcome = self.patiently(async { Ok(talk.await) });
        let silence = |Failure(got)| (got, Symptom::Silence);
        outcome
            .map_err(silence)
            .and_then(|talked| talked.map_err(|error| (error.to_string(), Symptom::Wrong)))
            .map_err(|(got, symptom)| Violation {
                request: format!("a WebSocket at {path}"),
                expected: "every message to come back".into(),
                got,
                symptom,
            })
    }

    /// `POST path` without a body.
    pub fn post_nothing(&self, path: &str) -> Result<Answer, Violation> {
        self.ask(format!("POST {path}"), Asking::post(path, None))
    }

    /// Sends `GET /` over a new connection and waits up to `patience` for any answer.
    pub fn knock(&self, patience: Duration) -> Result<(), Failure> {
        let knock = async {
            let mut sender = self.connect().await?;
            self.send(&mut sender, Asking::get("/")).await
        };
        let answered = self
            .runtime
            .block_on(async { tokio::time::timeout(patience, knock).await });
        answered.map_err(|_| Failure("no answer".into()))?.map(|_| ())
    }

    fn ask(&self, request: String, asking: Asking<'_>) -> Result<Answer, Violation> {
        match self.patiently(self.exchange(asking)) {
            Ok(read) => {
                self.answered.set(self.answered.get() + 1);
                Ok(Answer { request, ..read })
            }
            Err(Failure(got)) => Err(Violation {
                request,
                expected: "an answer".into(),
                got,
                symptom: Symptom::Silence,
            }),
        }
    }

    /// Awaits something as long as an answer may take, or until the user wants to stop.
    fn patiently<T>(&self, awaited: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        self.runtime.block_on(async {
            let until = Instant::now() + self.patience;
            let mut awaited = pin!(awaited);
            loop {
                match tokio::time::timeout(INTERRUPT_POLL, awaited.as_mut()).await {
                    Ok(outcome) => break outcome,
                    Err(_) if interrupt::check().is_err() => break Err(Failure("an interrupt".into())),
                    Err(_) if Instant::now() >= until => {
                        break Err(Failure(format!("nothing within {} s", self.patience.as_secs())));
                    }
                    Err(_) => {}
                }
            }
        })
    }

    /// The answer, which does not know its request yet.
    async fn exchange(&self, asking: Asking<'_>) -> Result<Answer, Failure> {
        let kept_open = self.open.borrow_mut().take();
        let mut sent = Instant::now();
        let again = match kept_open {
            Some(mut sender) => {
                let response = self.send(&mut sender, asking).await.ok();
                response.map(|response| (sender, response))
            }
            None => None,
        };
        let (sender, response) = if let Some(answered) = again {
            answered
        } else {
            // The server may have closed the kept connection; a new one it must serve.
            let mut sender = self.connect().await?;
            sent = Instant::now();
            let response = self.send(&mut sender, asking).await?;
            (sender, response)
        };
        let status = response.status().as_u16();
        let (head, body) = response.into_parts();
        let half = |Failure(why)| Failure(format!("status {status} and half a body: {why}"));
        let (body, pieces) = read(body, sent).await.map_err(half)?;
        self.open.replace(Some(sender));
        Ok(Answer {
            request: String::new(),
            status,
            fields: head.headers,
            body,
            pieces,
        })
    }

    async fn connect(&self) -> Result<Sender, Failure> {
        let stream = tokio::net::TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let Some(config) = &self.tls else {
            return self.shake_hands(stream).await;
        };
        let name = ServerName::from(self.address.ip());
        let stream = TlsConnector::from(Arc::clone(config)).connect(name, stream).await;
        let stream = stream.map_err(|error| match error.kind() {
            // A server that speaks no TLS 1.3 says so.
            io::ErrorKind::UnexpectedEof => Failure("the end of the connection during the TLS handshake".into()),
            _ => Failure(format!("no TLS 1.3: {error}")),
        })?;
        let chosen = stream.get_ref().1.alpn_protocol();
        // A server without ALPN speaks HTTP/1.1.
        if chosen != Some(alpn(self.protocol)) && (self.protocol.is_http2() || chosen.is_some()) {
            let chosen = chosen.map_or("nothing".into(), String::from_utf8_lossy);
            return Err(Failure(format!("{chosen} by ALPN")));
        }
        self.shake_hands(stream).await
    }

    async fn shake_hands<S>(&self, stream: S) -> Result<Sender, Failure>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        // If a connection breaks, its request fails and reports it.
        if self.protocol.is_http2() {
            let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
            drop(tokio::spawn(connection));
            Ok(Sender::Two(sender))
        } else {
            let (sender, connection) = http1::handshake(TokioIo::new(HalfClosed(stream))).await?;
            drop(tokio::spawn(connection));
            Ok(Sender::One(sender))
        }
    }

    async fn send(&self, sender: &mut Sender, asking: Asking<'_>) -> Result<Response<Incoming>, Failure> {
        let Asking {
            method,
            path,
            headers,
            body,
        } = asking;
        let mut request = Request::builder().method(method);
        request = request.header("accept", "*/*").header("user-agent", USER_AGENT);
        if let Some(Sent { content_type, .. }) = body {
            request = request.header("content-type", content_type);
        }
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        request = if self.protocol.is_http2() {
            let scheme = if self.protocol.is_tls() { "https" } else { "http" };
            request.uri(format!("{scheme}://{}{path}", self.address))
        } else {
            request.uri(path).header("host", self.address.to_string())
        };
        let body = Full::from(body.map_or("", |sent| sent.text).to_owned());
        let request = request.body(body).map_err(|error| Failure(error.to_string()))?;
        Ok(match sender {
            Sender::One(sender) => sender.send_request(request).await?,
            Sender::Two(sender) => sender.send_request(request).await?,
        })
    }
}

/// A body, and when its pieces came.
async fn read(mut body: Incoming, sent: Instant) -> Result<(Vec<u8>, Vec<(Duration, usize)>), Failure> {
    let (mut read, mut pieces) = (Vec::new(), Vec::new());
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            pieces.push((sent.elapsed(), data.len()));
            read.extend_from_slice(&data);
        }
        if read.len() > LARGEST_ANSWER {
            return Err(Failure(format!("more than {LARGEST_ANSWER} bytes")));
        }
    }
    Ok((read, pieces))
}

impl Answer {
    /// A field of the head, empty if there is none.
    pub fn field(&self, name: &str) -> Cow<'_, str> {
        let value = self.fields.get(name);
        value.map_or(Cow::Borrowed(""), |value| String::from_utf8_lossy(value.as_bytes()))
    }

    /// Fails unless the status is `status`.
    pub fn expect_status(&self, status: u16) -> Result<(), Violation> {
        if self.status == status {
            return Ok(());
        }
        Err(self.violation(
            format!("status {status}"),
            format!("status {}, {}", self.status, self.quoted()),
        ))
    }

    /// The body, if status and content type are the expected ones.
    pub fn expect(&self, status: u16, content_type: &str) -> Result<&[u8], Violation> {
        self.expect_status(status)?;
        // Parameters such as `charset=utf-8` are the framework's choice.
        let declared = self.field("content-type");
        let essence = declared.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case(content_type) {
            return Err(self.violation(format!("content type {content_type}"), format!("{declared:?}")));
        }
        Ok(&self.body)
    }

    /// A violation by this answer.
    pub fn violation(&self, expected: impl Into<String>, got: impl Into<String>) -> Violation {
        Violation {
            request: self.request.clone(),
            expected: expected.into(),
            got: got.into(),
            symptom: Symptom::from_status(self.status),
        }
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
    let shown = |letter: char| match letter {
        '"' | '\'' => letter.to_string(),
        other => other.escape_debug().to_string(),
    };
    let mut quoted: String = text.chars().take(LONGEST_QUOTE).map(shown).collect();
    if text.chars().count() > LONGEST_QUOTE || bytes.len() > 4 * LONGEST_QUOTE {
        quoted.push('…');
    }
    format!("`{quoted}`")
}
