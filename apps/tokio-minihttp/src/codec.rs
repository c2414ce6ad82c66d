//! Bytes to requests and answers to bytes. A connection decodes a request only after it has encoded the answer to the one
//! before, so that the codec knows which request an answer belongs to.

use std::{
    cell::RefCell,
    fmt::{self, Write},
    io,
    time::SystemTime,
};

use bytes::{Bytes, BytesMut};
use http::{Method, Request};
use httpdate::HttpDate;
use tokio_util::codec::{Decoder, Encoder};

use crate::{
    answer::{Answer, Refusal},
    head::{self, Head},
};

#[derive(Debug)]
pub struct Http {
    max_body_bytes: usize,
    /// Whether the request that is being answered wants no body.
    bodiless: bool,
    /// Whether it is the last of its connection.
    over: bool,
}

/// Why no request comes any more.
#[derive(Debug)]
pub enum Broken {
    Connection(io::Error),
    /// What came has no certain end: it is answered, and the connection is over.
    Refused(Refusal),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::Connection(error)
    }
}

impl From<Refusal> for Broken {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Http {
    pub fn new(max_body_bytes: usize) -> Self {
        Self {
            max_body_bytes,
            bodiless: false,
            over: false,
        }
    }

    pub fn is_over(&self) -> bool {
        self.over
    }
}

impl Decoder for Http {
    type Item = Request<Bytes>;
    type Error = Broken;

    fn decode(&mut self, input: &mut BytesMut) -> Result<Option<Request<Bytes>>, Broken> {
        // Until the request is known to be a good one.
        (self.bodiless, self.over) = (false, true);
        let Some(Head {
            length,
            body_bytes,
            close,
            fields,
        }) = head::parse(input, self.max_body_bytes)?
        else {
            return Ok(None);
        };
        let missing = (length + body_bytes).saturating_sub(input.len());
        if missing > 0 {
            input.reserve(missing);
            return Ok(None);
        }
        let head = input.split_to(length).freeze();
        let body = input.split_to(body_bytes).freeze();
        let request = fields.request(&head, body)?;
        (self.bodiless, self.over) = (request.method() == Method::HEAD, close);
        Ok(Some(request))
    }
}

impl Encoder<Answer> for Http {
    type Error = io::Error;

    fn encode(&mut self, answer: Answer, output: &mut BytesMut) -> io::Result<()> {
        let (head, body) = answer.into_parts();
        write!(
            output,
            "HTTP/1.1 {}\r\ncontent-length: {}\r\ndate: ",
            head.status,
            body.len()
        )
        .map_err(io::Error::other)?;
        write_date(output).map_err(io::Error::other)?;
        for (name, value) in &head.headers {
            for part in [b"\r\n", name.as_str().as_bytes(), b": ", value.as_bytes()] {
                output.extend_from_slice(part);
            }
        }
        output.extend_from_slice(if self.over {
            b"\r\nconnection: close\r\n\r\n"
        } else {
            b"\r\n\r\n"
        });
        if !self.bodiless {
            output.extend_from_slice(&body);
        }
        Ok(())
    }
}

/// A server with a clock has to date its answers. The text is made once in a second, not for every answer.
fn write_date(output: &mut BytesMut) -> fmt::Result {
    thread_local! {
        static DATE: RefCell<(HttpDate, String)> = RefCell::new((SystemTime::UNIX_EPOCH.into(), String::new()));
    }
    let now = HttpDate::from(SystemTime::now());
    DATE.with_borrow_mut(|(date, text)| {
        if *date != now || text.is_empty() {
            (*date, *text) = (now, now.to_string());
        }
        output.write_str(text)
    })
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;
    use crate::answer;

    fn decode(http: &mut Http, input: &str) -> (Option<Request<Bytes>>, usize) {
        let mut bytes = BytesMut::from(input);
        let request = http.decode(&mut bytes).unwrap();
        (request, bytes.len())
    }

    fn encode(http: &mut Http) -> String {
        let mut output = BytesMut::new();
        http.encode(answer::text(StatusCode::OK, "Hello"), &mut output).unwrap();
        String::from_utf8(output.to_vec()).unwrap()
    }

    #[test]
    fn one_request_is_taken_and_the_next_is_left() {
        let one = "POST /cpu?n=3 HTTP/1.1\r\nContent-Type: application/json\r\nCONTENT-LENGTH: 2\r\n\r\n{}";
        let (request, left) = decode(&mut Http::new(64), &format!("{one}GET"));
        let request = request.unwrap();
        assert_eq!((request.method(), request.uri().path()), (&Method::POST, "/cpu"));
        assert_eq!((request.uri().query(), request.headers().len()), (Some("n=3"), 2));
        assert_eq!((request.body().as_ref(), left), (b"{}".as_slice(), 3));
    }

    #[test]
    fn every_prefix_waits_for_more() {
        let input = "POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}";
        for length in 0..input.len() {
            let (request, left) = decode(&mut Http::new(64), &input[..length]);
            assert!(request.is_none() && left == length, "{length} bytes");
        }
    }

    #[test]
    fn an_answer_says_its_length_and_whether_it_is_the_last() {
        let mut http = Http::new(64);
        decode(&mut http, "GET / HTTP/1.1\r\n\r\n");
        let text = encode(&mut http);
        assert!(
            text.starts_with("HTTP/1.1 200 OK\r\ncontent-length: 5\r\ndate: "),
            "{text}"
        );
        assert!(
            text.ends_with("\r\n\r\nHello") && !text.contains("connection"),
            "{text}"
        );
        decode(&mut http, "GET / HTTP/1.0\r\n\r\n");
        assert!(encode(&mut http).contains("\r\nconnection: close\r\n\r\nHello"));
    }

    #[test]
    fn an_answer_to_head_has_a_length_and_no_body() {
        let mut http = Http::new(64);
        decode(&mut http, "HEAD / HTTP/1.1\r\n\r\n");
        let text = encode(&mut http);
        assert!(
            text.contains("content-length: 5\r\n") && text.ends_with("\r\n\r\n"),
            "{text}"
        );
    }
}
