//! Bytes to request: the head by `httparse`, the body by its `Content-Length`.

use std::mem::MaybeUninit;

use contract::MAX_BODY_BYTES;
use httparse::{Error, Header, Status};

use crate::response::Refusal;

/// As many as hyper takes, and as large a head as most servers take.
const MAX_HEADERS: usize = 100;
const MAX_HEAD_BYTES: usize = 16 * 1024;

#[derive(Debug)]
pub struct Request<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    pub body: &'a [u8],
    /// Whether the body says that it is JSON.
    pub json: bool,
    /// Whether this is the last request of its connection.
    pub close: bool,
}

/// What the bytes at the front of a connection amount to.
#[derive(Debug)]
pub enum Parsed<'a> {
    /// A request, and how many bytes it took.
    Complete(Request<'a>, usize),
    /// The beginning of a request.
    Partial,
    /// Nothing that the connection could go on from.
    Refused(Refusal),
}

pub fn parse(input: &[u8]) -> Parsed<'_> {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut []);
    let length = match head.parse_with_uninit_headers(input, &mut headers) {
        Ok(Status::Complete(length)) if length <= MAX_HEAD_BYTES => length,
        Ok(Status::Partial) if input.len() <= MAX_HEAD_BYTES => return Parsed::Partial,
        Ok(_) | Err(Error::TooManyHeaders) => return Parsed::Refused(Refusal::HEAD_TOO_LARGE),
        Err(_) => return Parsed::Refused(Refusal::BAD_HEAD),
    };
    let fields = match Fields::read(head.headers, head.version == Some(0)) {
        Ok(fields) => fields,
        Err(refusal) => return Parsed::Refused(refusal),
    };
    let Some(body) = input[length..].get(..fields.body_bytes) else {
        return Parsed::Partial;
    };
    let target = head.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let method = head.method.unwrap_or_default();
    let request = Request {
        method,
        path,
        query,
        body,
        json: fields.json,
        close: fields.close,
    };
    Parsed::Complete(request, length + fields.body_bytes)
}

/// The four header fields that matter here.
#[derive(Debug)]
struct Fields {
    body_bytes: usize,
    json: bool,
    close: bool,
}

impl Fields {
    fn read(headers: &[Header<'_>], http_1_0: bool) -> Result<Self, Refusal> {
        let mut body_bytes = None;
        let mut json = false;
        let mut close = http_1_0;
        for Header { name, value } in headers {
            // The length tells most names apart before a byte of them is compared.
            match name.len() {
                10 if name.eq_ignore_ascii_case("connection") => close |= names_close(value),
                12 if name.eq_ignore_ascii_case("content-type") => json = is_json(value),
                14 if name.eq_ignore_ascii_case("content-length") => {
                    // Two that differ are how one request is smuggled inside of another.
                    let bytes = content_length(value)?;
                    if body_bytes.replace(bytes).is_some_and(|earlier| earlier != bytes) {
                        return Err(Refusal::BAD_LENGTH);
                    }
                }
                17 if name.eq_ignore_ascii_case("transfer-encoding") => return Err(Refusal::LENGTH_REQUIRED),
                _ => {}
            }
        }
        Ok(Self {
            body_bytes: body_bytes.unwrap_or(0),
            json,
            close,
        })
    }
}

fn content_length(value: &[u8]) -> Result<usize, Refusal> {
    // Only digits: `parse` alone would take a sign as well.
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(Refusal::BAD_LENGTH);
    }
    let bytes = str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
    // What does not fit into a usize is too large as well.
    bytes
        .filter(|bytes| *bytes <= MAX_BODY_BYTES)
        .ok_or(Refusal::BODY_TOO_LARGE)
}

fn names_close(value: &[u8]) -> bool {
    value
        .split(|byte| *byte == b',')
        .any(|option| option.trim_ascii().eq_ignore_ascii_case(b"close"))
}

fn is_json(value: &[u8]) -> bool {
    let essence = value.split(|byte| *byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(input: &str) -> (Request<'_>, usize) {
        match parse(input.as_bytes()) {
            Parsed::Complete(request, length) => (request, length),
            other => panic!("{input:?} is {other:?}"),
        }
    }

    fn refused(input: &str) -> &'static str {
        match parse(input.as_bytes()) {
            Parsed::Refused(refusal) => &refusal.status[..3],
            other => panic!("{input:?} is {other:?}"),
        }
    }

    #[test]
    fn a_request_is_taken_apart() {
        let input =
            "POST /cpu?n=3 HTTP/1.1\r\nContent-Type: application/json; charset=utf-8\r\nCONTENT-LENGTH: 2\r\n\r\n{}";
        let (request, length) = complete(input);
        assert_eq!((request.method, request.path, request.query), ("POST", "/cpu", "n=3"));
        assert_eq!(
            (request.body, request.json, request.close),
            (b"{}".as_slice(), true, false)
        );
        assert_eq!(length, input.len());
    }

    #[test]
    fn every_prefix_is_partial() {
        let input = "POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}";
        for length in 0..input.len() {
            assert!(
                matches!(parse(&input.as_bytes()[..length]), Parsed::Partial),
                "{length} bytes"
            );
        }
    }

    #[test]
    fn the_next_request_is_left_alone() {
        let one = "GET / HTTP/1.1\r\n\r\n";
        assert_eq!(complete(&format!("{one}{one}")).1, one.len());
    }

    #[test]
    fn connections_are_kept_unless_closing_is_named() {
        let close = |head: &str| complete(&format!("{head}\r\n\r\n")).0.close;
        assert!(!close("GET / HTTP/1.1"));
        assert!(!close("GET / HTTP/1.1\r\nconnection: keep-alive"));
        assert!(close("GET / HTTP/1.1\r\nConnection: Close"));
        assert!(close("GET / HTTP/1.1\r\nconnection: te, close"));
        assert!(close("GET / HTTP/1.0"));
    }

    #[test]
    fn what_has_no_certain_end_is_refused() {
        let with = |field: &str| refused(&format!("POST / HTTP/1.1\r\n{field}\r\n\r\n"));
        assert_eq!(with("content-length: +2"), "400");
        assert_eq!(with("content-length:"), "400");
        assert_eq!(with("content-length: 2\r\ncontent-length: 3"), "400");
        assert_eq!(with("transfer-encoding: chunked\r\ncontent-length: 2"), "411");
        assert_eq!(with("content-length: 65537"), "413");
        assert_eq!(with("content-length: 99999999999999999999999"), "413");
        assert_eq!(
            complete("GET / HTTP/1.1\r\ncontent-length: 0\r\ncontent-length: 0\r\n\r\n")
                .0
                .body,
            b""
        );
    }

    #[test]
    fn heads_have_a_limit() {
        assert_eq!(refused("\u{1}\r\n\r\n"), "400");
        assert_eq!(
            refused(&format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(101))),
            "431"
        );
        assert_eq!(
            refused(&format!("GET / HTTP/1.1\r\na: {}", "b".repeat(MAX_HEAD_BYTES))),
            "431"
        );
        assert_eq!(
            refused(&format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "b".repeat(MAX_HEAD_BYTES))),
            "431"
        );
    }
}
