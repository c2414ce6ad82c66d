//! An HTTP client that trusts nobody: answers are bounded in size and time, redirects are not followed.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use ureq::Agent;
use ureq::http::Response;

use super::Violation;

/// Longest time for one answer. The slowest request takes about 50 ms on its own; a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest answer that is read; the largest of the contract has 1.3 MB.
const LARGEST_ANSWER: u64 = 4 << 20;
/// Longest part of an answer that is told.
const LONGEST_QUOTE: usize = 120;

/// Asks one server.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    address: SocketAddr,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    /// Method and path that were asked.
    pub request: String,
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`, empty if there was none.
    pub content_type: String,
    /// Body.
    pub body: Vec<u8>,
}

/// Why there was no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl Client {
    /// Of the server at `address`.
    pub fn new(address: SocketAddr) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(PATIENCE))
            .user_agent("bench")
            .build();
        Self {
            agent: agent.into(),
            address,
        }
    }

    /// `GET path`.
    pub fn get(&self, path: &str) -> Result<Answer, Violation> {
        let request = format!("GET {path}");
        let called = self.agent.get(self.url(path)).call();
        Self::read(request, called)
    }

    /// `POST path` with a body of JSON, or of what is claimed to be JSON.
    pub fn post(&self, path: &str, body: &str) -> Result<Answer, Violation> {
        let request = format!("POST {path} {}", quote(body.as_bytes()));
        let called = self
            .agent
            .post(self.url(path))
            .content_type("application/json")
            .send(body);
        Self::read(request, called)
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn read(request: String, called: Result<Response<ureq::Body>, ureq::Error>) -> Result<Answer, Violation> {
        let no_answer = |got: String| Violation {
            request: request.clone(),
            expected: "an answer".into(),
            got,
            no_answer: true,
        };
        let mut response = called.map_err(|error| no_answer(in_words(&error)))?;
        let status = response.status().as_u16();
        let header = response
            .headers()
            .get("content-type")
            .map(|value| value.as_bytes().to_vec());
        let content_type = String::from_utf8_lossy(&header.unwrap_or_default()).into_owned();
        let body = response.body_mut().with_config().limit(LARGEST_ANSWER).read_to_vec();
        let body = body.map_err(|error| no_answer(format!("status {status} and half a body: {}", in_words(&error))))?;
        Ok(Answer {
            request,
            status,
            content_type,
            body,
        })
    }
}

impl Answer {
    /// The body, if status and content type are the expected ones.
    pub fn expect(&self, status: u16, content_type: &str) -> Result<&[u8], Violation> {
        if self.status != status {
            return Err(self.is_not(
                format!("status {status}"),
                format!("status {}, {}", self.status, self.quoted()),
            ));
        }
        // Parameters such as `charset=utf-8` are the framework's choice.
        let essence = self.content_type.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case(content_type) {
            return Err(self.is_not(
                format!("content type {content_type}"),
                format!("{:?}", self.content_type),
            ));
        }
        Ok(&self.body)
    }

    /// A violation by this answer.
    pub fn is_not(&self, expected: impl Into<String>, got: impl Into<String>) -> Violation {
        Violation {
            request: self.request.clone(),
            expected: expected.into(),
            got: got.into(),
            no_answer: false,
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

/// Text as it may be shown: control characters escaped, cut where it is long.
fn quote(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST_QUOTE)]);
    let mut quoted: String = text.chars().take(LONGEST_QUOTE).flat_map(char::escape_debug).collect();
    if text.chars().count() > LONGEST_QUOTE || bytes.len() > 4 * LONGEST_QUOTE {
        quoted.push('…');
    }
    format!("`{quoted}`")
}

fn in_words(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Timeout(_) => format!("nothing within {} s", PATIENCE.as_secs()),
        ureq::Error::BodyExceedsLimit(limit) => format!("more than {limit} bytes"),
        other => other.to_string(),
    }
}

/// Sends `GET /` over a new connection and waits `patience` for the first byte of an answer, whatever it says.
pub fn first_answer(address: SocketAddr, patience: Duration) -> Result<(), Failure> {
    let ask = || -> std::io::Result<usize> {
        let mut stream = TcpStream::connect_timeout(&address, patience)?;
        stream.set_read_timeout(Some(patience))?;
        write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
        stream.read(&mut [0; 1])
    };
    match ask() {
        Ok(0) => Err(Failure("the connection was closed without an answer".into())),
        Ok(_) => Ok(()),
        Err(error) => Err(Failure(error.to_string())),
    }
}
