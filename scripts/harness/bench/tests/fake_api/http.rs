//! As much of HTTP/1.1 as the fake needs: one request on each connection.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read as _};
use std::net::TcpStream;

use serde_json::{Value, json};

/// Largest request.
const LARGEST: usize = 4 << 20;

#[derive(Debug)]
pub struct Request {
    pub method: String,
    /// Without the query, and without `/api/v3`, which a GitHub Enterprise Server has before every path.
    pub path: String,
    pub query: BTreeMap<String, String>,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Null, if there is none.
    pub body: Value,
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn read(stream: &mut TcpStream) -> io::Result<Self> {
        let mut bytes = Vec::new();
        loop {
            let mut part = [0; 16 << 10];
            let read = stream.read(&mut part)?;
            if read == 0 || bytes.len() > LARGEST {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            bytes.extend_from_slice(&part[..read]);
            if let Some(request) = Self::parse(&bytes)? {
                return Ok(request);
            }
        }
    }

    /// `None` if more bytes are needed.
    fn parse(bytes: &[u8]) -> io::Result<Option<Self>> {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut head = httparse::Request::new(&mut headers);
        let parsed = head.parse(bytes).map_err(io::Error::other)?;
        let httparse::Status::Complete(begin) = parsed else {
            return Ok(None);
        };
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let headers: BTreeMap<String, String> = head
            .headers
            .iter()
            .map(|header| (header.name.to_ascii_lowercase(), text(header.value)))
            .collect();
        let length = headers
            .get("content-length")
            .and_then(|length| length.parse().ok())
            .unwrap_or(0);
        let Some(body) = bytes.get(begin..begin + length) else {
            return Ok(None);
        };
        let target = head.path.unwrap_or("/");
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query = query.split('&').filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            Some((name.to_owned(), value.replace("%3A", ":").replace("%2F", "/")))
        });
        Ok(Some(Self {
            method: head.method.unwrap_or_default().to_owned(),
            path: path.strip_prefix("/api/v3").unwrap_or(path).to_owned(),
            query: query.collect(),
            headers,
            body: serde_json::from_slice(body).unwrap_or(Value::Null),
        }))
    }

    /// As it is written down. Of the token only whether there was one.
    pub fn record(&self) -> Value {
        json!({
            "method": self.method,
            "path": self.path,
            "query": self.query,
            "token": self.headers.contains_key("authorization"),
            "api_version": self.headers.get("x-github-api-version"),
            "user_agent": self.headers.get("user-agent"),
            "body": self.body,
        })
    }
}

impl Answer {
    pub fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: vec![("content-type".into(), "application/json; charset=utf-8".into())],
            body: body.to_string().into_bytes(),
        }
    }

    /// An error as GitHub words it.
    pub fn error(status: u16, message: &str) -> Self {
        Self::json(status, &json!({ "message": message, "status": status.to_string() }))
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} -\r\n", self.status);
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n"); // a String takes everything
        }
        let _ = write!(head, "content-length: {}\r\nconnection: close\r\n\r\n", self.body.len());
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}
