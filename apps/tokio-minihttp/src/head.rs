//! The head of a request, by `httparse`: where it ends, where the body ends, and what of it goes on to the routes.

use std::{mem::MaybeUninit, ops::Range};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Uri};
use httparse::{Error, Header, Status};

use crate::answer::Refusal;

/// As many as hyper takes, and as large a head as most servers take.
const MAX_HEADERS: usize = 100;
const MAX_HEAD_BYTES: usize = 16 * 1024;

#[derive(Debug)]
pub struct Head {
    pub length: usize,
    pub body_bytes: usize,
    /// Whether this is the last request of its connection.
    pub close: bool,
    pub fields: Fields,
}

/// Where things are in a head: by number, for the buffer is cut off before they are read.
#[derive(Debug)]
pub struct Fields {
    method: Method,
    target: Range<usize>,
    headers: Vec<(HeaderName, Range<usize>)>,
}

/// Nothing where the head has not come to its end.
pub fn parse(input: &[u8], max_body_bytes: usize) -> Result<Option<Head>, Refusal> {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut []);
    let length = match head.parse_with_uninit_headers(input, &mut headers) {
        Ok(Status::Complete(length)) if length <= MAX_HEAD_BYTES => length,
        Ok(Status::Partial) if input.len() <= MAX_HEAD_BYTES => return Ok(None),
        Ok(_) | Err(Error::TooManyHeaders) => return Err(Refusal::new(431, "the head is too large")),
        Err(error) => return Err(Refusal::new(400, error)),
    };
    let place = |part: &[u8]| {
        let start = part.as_ptr().addr() - input.as_ptr().addr();
        start..start + part.len()
    };
    let malformed = |_| Refusal::new(400, "not an HTTP/1.1 request");
    let named = |header: &Header<'_>| {
        let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|error| Refusal::new(400, error))?;
        Ok((name, place(header.value)))
    };
    Ok(Some(Head {
        length,
        body_bytes: body_bytes(head.headers, max_body_bytes)?,
        close: head.version == Some(0) || asks_to_close(head.headers),
        fields: Fields {
            method: Method::from_bytes(head.method.unwrap_or_default().as_bytes()).map_err(malformed)?,
            target: place(head.path.unwrap_or_default().as_bytes()),
            headers: head.headers.iter().map(named).collect::<Result<_, Refusal>>()?,
        },
    }))
}

impl Fields {
    /// Of the head that was parsed; its target and its values are parts of it, not copies.
    pub fn request(self, head: &Bytes, body: Bytes) -> Result<Request<Bytes>, Refusal> {
        let mut request = Request::new(body);
        *request.method_mut() = self.method;
        *request.uri_mut() =
            Uri::from_maybe_shared(head.slice(self.target)).map_err(|error| Refusal::new(400, error))?;
        for (name, place) in self.headers {
            let value = HeaderValue::from_maybe_shared(head.slice(place)).map_err(|error| Refusal::new(400, error))?;
            request.headers_mut().append(name, value);
        }
        Ok(request)
    }
}

fn body_bytes(headers: &[Header<'_>], max: usize) -> Result<usize, Refusal> {
    let mut body_bytes = None;
    for Header { name, value } in headers {
        if name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(Refusal::new(411, "want content-length, not transfer-encoding"));
        }
        if name.eq_ignore_ascii_case("content-length") {
            // Two that differ are how one request is smuggled inside of another.
            let bytes = content_length(value, max)?;
            if body_bytes.replace(bytes).is_some_and(|earlier| earlier != bytes) {
                return Err(Refusal::new(400, "more than one content-length"));
            }
        }
    }
    Ok(body_bytes.unwrap_or(0))
}

fn content_length(value: &[u8], max: usize) -> Result<usize, Refusal> {
    // Only digits: `parse` alone would take a sign as well.
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(Refusal::new(400, "content-length is not a number"));
    }
    let bytes = str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
    // What does not fit into a usize is too large as well.
    bytes
        .filter(|bytes| *bytes <= max)
        .ok_or_else(|| Refusal::new(413, format_args!("the body is larger than {max} bytes")))
}

fn asks_to_close(headers: &[Header<'_>]) -> bool {
    headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case("connection"))
        .flat_map(|header| header.value.split(|byte| *byte == b','))
        .any(|option| option.trim_ascii().eq_ignore_ascii_case(b"close"))
}

#[cfg(test)]
mod tests {
    use contract::MAX_BODY_BYTES;

    use super::*;

    fn refused(input: &str) -> u16 {
        parse(input.as_bytes(), MAX_BODY_BYTES).unwrap_err().status.as_u16()
    }

    #[test]
    fn what_has_no_certain_end_is_refused() {
        let with = |field: &str| refused(&format!("POST / HTTP/1.1\r\n{field}\r\n\r\n"));
        assert_eq!(with("content-length: +2"), 400);
        assert_eq!(with("content-length:"), 400);
        assert_eq!(with("content-length: 2\r\ncontent-length: 3"), 400);
        assert_eq!(with("transfer-encoding: chunked\r\ncontent-length: 2"), 411);
        assert_eq!(with("content-length: 65537"), 413);
        assert_eq!(with("content-length: 99999999999999999999999"), 413);
    }

    #[test]
    fn heads_have_a_limit() {
        assert_eq!(refused("\u{1}\r\n\r\n"), 400);
        let many = "a: b\r\n".repeat(MAX_HEADERS + 1);
        assert_eq!(refused(&format!("GET / HTTP/1.1\r\n{many}\r\n")), 431);
        let long = "b".repeat(MAX_HEAD_BYTES);
        assert_eq!(refused(&format!("GET / HTTP/1.1\r\na: {long}")), 431);
        assert_eq!(refused(&format!("GET / HTTP/1.1\r\na: {long}\r\n\r\n")), 431);
    }

    #[test]
    fn connections_are_kept_unless_closing_is_named() {
        let close = |head: &str| {
            parse(format!("{head}\r\n\r\n").as_bytes(), MAX_BODY_BYTES)
                .unwrap()
                .unwrap()
                .close
        };
        assert!(!close("GET / HTTP/1.1"));
        assert!(!close("GET / HTTP/1.1\r\nconnection: keep-alive"));
        assert!(close("GET / HTTP/1.1\r\nConnection: te, Close"));
        assert!(close("GET / HTTP/1.0"));
    }
}
