//! As much of HTTP/1.1 as the tests need.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// Largest body that is taken.
const LARGEST: usize = 64 << 10;
/// Largest body that is read, to be refused.
const MOST: usize = 8 << 20;

pub struct Request {
    pub method: String,
    pub path: String,
    pub query: String,
    pub body: Vec<u8>,
    /// All fields of the head, with their names in lowercase.
    pub fields: Vec<(String, String)>,
}

impl Request {
    /// The value of a field, empty if there is none.
    pub fn field(&self, name: &str) -> &str {
        let mut fields = self.fields.iter();
        fields.find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Whether the connection is to end with the answer.
    pub fn closes(&self) -> bool {
        self.field("connection").eq_ignore_ascii_case("close")
    }

    pub fn is_too_large(&self) -> bool {
        self.body.len() > LARGEST
    }
}

#[derive(Clone)]
pub struct Response {
    pub status: u16,
    pub content_type: &'static str,
    pub body: Vec<u8>,
    /// What `Content-Length` says.
    pub announced: usize,
    /// More fields, each with its end.
    pub fields: String,
}

impl Response {
    pub fn new(status: u16, content_type: &'static str, body: Vec<u8>) -> Self {
        Self {
            status,
            content_type,
            announced: body.len(),
            body,
            fields: String::new(),
        }
    }

    pub fn text(status: u16, body: &str) -> Self {
        Self::new(status, "text/plain", body.into())
    }

    pub fn json(value: &Value) -> Self {
        Self::new(200, "application/json", value.to_string().into())
    }
}

pub struct Reader(BufReader<TcpStream>);

impl Reader {
    pub fn new(stream: TcpStream) -> Self {
        Self(BufReader::new(stream))
    }

    /// The next request; `None` where the connection has ended.
    pub fn request(&mut self) -> Option<Request> {
        let first = self.line()?;
        let mut words = first.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut request = Request {
            method,
            path: path.to_owned(),
            query: query.to_owned(),
            body: Vec::new(),
            fields: Vec::new(),
        };
        while let Some((name, value)) = self.line()?.split_once(':') {
            let field = (name.to_ascii_lowercase(), value.trim().to_owned());
            request.fields.push(field);
        }
        let length = match request.field("content-length") {
            "" => 0,
            length => length.parse().ok().filter(|length| *length <= MOST)?,
        };
        request.body = vec![0; length];
        self.0.read_exact(&mut request.body).ok()?;
        Some(request)
    }

    pub fn answer(&mut self, response: &Response) -> Option<()> {
        let Response {
            status,
            content_type,
            body,
            announced,
            fields,
        } = response;
        let head = format!(
            "HTTP/1.1 {status} Status\r\ncontent-type: {content_type}\r\ncontent-length: {announced}\r\n{fields}\r\n"
        );
        let stream = self.0.get_mut();
        stream.write_all(&[head.as_bytes(), body].concat()).ok()?;
        // Who announced more than there is has nothing more to say.
        if *announced > body.len() {
            stream.shutdown(std::net::Shutdown::Both).ok().and(None)
        } else {
            Some(())
        }
    }

    /// Bytes that are no request any more.
    pub fn bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.0.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    /// What is no answer any more.
    pub fn write(&mut self, bytes: &[u8]) -> Option<()> {
        self.0.get_mut().write_all(bytes).ok()
    }

    /// Reads whatever comes, and says nothing, until the other side has left.
    pub fn read_on(&mut self) -> Option<()> {
        std::io::copy(&mut self.0, &mut std::io::sink()).ok().and(None)
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.0.read_line(&mut line).ok().filter(|read| *read > 0)?;
        Some(line.trim_end().to_owned())
    }
}
