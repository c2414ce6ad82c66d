//! Answers to bytes, straight into the buffer that is sent.

use std::{borrow::Cow, cell::RefCell, time::SystemTime};

use httpdate::HttpDate;
use serde::Serialize;

/// Room for the length of a body, which is known only after the body was written: spaces before a value mean nothing.
const LENGTH_ROOM: &[u8; 10] = b"          ";
const END_OF_HEAD: &[u8; 4] = b"\r\n\r\n";

/// Writes one answer behind those that wait in the buffer already.
#[derive(Debug)]
pub struct Response<'a> {
    output: &'a mut Vec<u8>,
    /// Where this answer begins.
    start: usize,
    /// Whether it is the last of its connection.
    close: bool,
}

impl<'a> Response<'a> {
    pub fn new(output: &'a mut Vec<u8>, close: bool) -> Self {
        Self {
            start: output.len(),
            output,
            close,
        }
    }

    pub fn text(mut self, text: &str) {
        self.write("200 OK", "", "text/plain; charset=utf-8", |output| {
            output.extend_from_slice(text.as_bytes());
        });
    }

    pub fn json(mut self, value: &impl Serialize) {
        let mut written = Ok(());
        self.write("200 OK", "", "application/json", |output| {
            written = serde_json::to_writer(output, value);
        });
        if let Err(error) = written {
            self.output.truncate(self.start);
            self.refusal(&Refusal::internal(&error));
        }
    }

    pub fn refusal(mut self, refusal: &Refusal) {
        let Refusal { status, allow, text } = refusal;
        self.write(status, allow, "text/plain; charset=utf-8", |output| {
            output.extend_from_slice(text.as_bytes());
        });
    }

    fn write(&mut self, status: &str, allow: &str, content_type: &str, body: impl FnOnce(&mut Vec<u8>)) {
        let output = &mut *self.output;
        for part in ["HTTP/1.1 ", status, "\r\ncontent-type: ", content_type] {
            output.extend_from_slice(part.as_bytes());
        }
        if !allow.is_empty() {
            output.extend_from_slice(b"\r\nallow: ");
            output.extend_from_slice(allow.as_bytes());
        }
        if self.close {
            output.extend_from_slice(b"\r\nconnection: close");
        }
        output.extend_from_slice(b"\r\ndate: ");
        write_date(output);
        output.extend_from_slice(b"\r\ncontent-length: ");
        let length_end = output.len() + LENGTH_ROOM.len();
        output.extend_from_slice(LENGTH_ROOM);
        output.extend_from_slice(END_OF_HEAD);
        let body_start = output.len();
        body(output);
        let body_bytes = output.len() - body_start;
        write_number(&mut output[..length_end], body_bytes);
    }
}

/// Takes the body from an answer, as is due to HEAD. Its length stays.
pub fn without_body(output: &mut Vec<u8>, start: usize) {
    let head = output[start..]
        .windows(END_OF_HEAD.len())
        .position(|window| window == END_OF_HEAD);
    if let Some(length) = head {
        output.truncate(start + length + END_OF_HEAD.len());
    }
}

/// Writes the digits of a number so that they end where `room` ends.
fn write_number(room: &mut [u8], mut number: usize) {
    for place in room.iter_mut().rev() {
        // The remainder of ten is a digit.
        *place = b"0123456789"[number % 10];
        number /= 10;
        if number == 0 {
            break;
        }
    }
}

/// A server with a clock has to date its answers. The text is made once in a second, not for every answer.
fn write_date(output: &mut Vec<u8>) {
    thread_local! {
        static DATE: RefCell<(HttpDate, String)> = RefCell::new((SystemTime::UNIX_EPOCH.into(), String::new()));
    }
    let now = HttpDate::from(SystemTime::now());
    DATE.with_borrow_mut(|(date, text)| {
        if *date != now || text.is_empty() {
            (*date, *text) = (now, now.to_string());
        }
        output.extend_from_slice(text.as_bytes());
    });
}

/// An answer that says what is wrong with a request.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Code and reason.
    pub status: &'static str,
    /// The methods that would have been served, where the method was wrong.
    allow: &'static str,
    text: Cow<'static, str>,
}

impl Refusal {
    pub const BAD_HEAD: Self = Self::new("400 Bad Request", "not an HTTP/1.1 request");
    pub const BAD_LENGTH: Self = Self::new("400 Bad Request", "content-length is not one number");
    pub const NOT_FOUND: Self = Self::new("404 Not Found", "no such path");
    pub const LENGTH_REQUIRED: Self = Self::new("411 Length Required", "want content-length, not transfer-encoding");
    pub const BODY_TOO_LARGE: Self = Self::new("413 Content Too Large", "the body is too large");
    pub const NOT_JSON: Self = Self::new("415 Unsupported Media Type", "want content-type: application/json");
    pub const HEAD_TOO_LARGE: Self = Self::new("431 Request Header Fields Too Large", "the head is too large");

    const fn new(status: &'static str, text: &'static str) -> Self {
        Self {
            status,
            allow: "",
            text: Cow::Borrowed(text),
        }
    }

    pub fn method(allow: &'static str) -> Self {
        Self {
            allow,
            ..Self::new("405 Method Not Allowed", "not with this method")
        }
    }

    pub fn malformed(error: &impl ToString) -> Self {
        Self {
            text: error.to_string().into(),
            ..Self::new("400 Bad Request", "")
        }
    }

    pub fn internal(error: &impl ToString) -> Self {
        Self {
            text: error.to_string().into(),
            ..Self::new("500 Internal Server Error", "")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(close: bool, write: impl FnOnce(Response)) -> String {
        let mut output = b"earlier ".to_vec();
        write(Response::new(&mut output, close));
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn an_answer_is_complete_and_dated() {
        let text = written(false, |response| response.text("Hello, World!"));
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let lines: Vec<&str> = head.lines().collect();
        assert_eq!(
            lines[..2],
            ["earlier HTTP/1.1 200 OK", "content-type: text/plain; charset=utf-8"]
        );
        let date = httpdate::parse_http_date(lines[2].strip_prefix("date: ").unwrap()).unwrap();
        assert!(date.elapsed().unwrap().as_secs() < 5, "{head}");
        assert_eq!(lines[3..], ["content-length:         13"]);
        assert_eq!(body, "Hello, World!");
    }

    #[test]
    fn the_last_answer_of_a_connection_says_so() {
        assert!(written(true, |response| response.json(&1)).contains("\r\nconnection: close\r\n"));
        assert!(!written(false, |response| response.json(&1)).contains("connection"));
    }

    #[test]
    fn a_wrong_method_is_answered_with_the_right_ones() {
        let text = written(false, |response| response.refusal(&Refusal::method("POST")));
        assert!(
            text.contains("HTTP/1.1 405 Method Not Allowed\r\n") && text.contains("\r\nallow: POST\r\n"),
            "{text}"
        );
    }

    #[test]
    fn head_keeps_the_length_and_drops_the_body() {
        let mut output = Vec::new();
        Response::new(&mut output, false).text("Hello, World!");
        without_body(&mut output, 0);
        let text = String::from_utf8(output).unwrap();
        assert!(text.ends_with("content-length:         13\r\n\r\n"), "{text}");
    }

    #[test]
    fn numbers_end_where_their_room_ends() {
        for (number, text) in [(0, "    0"), (7, "    7"), (1_234, " 1234"), (98_765, "98765")] {
            let mut room = *b"     ";
            write_number(&mut room, number);
            assert_eq!(room, text.as_bytes());
        }
    }
}
