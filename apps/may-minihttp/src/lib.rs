//! What a framework would do: bodies in and out of their bytes. The server with service features has it from here.

use std::{fmt::Display, io::Read};

use bytes::BufMut;
use may_minihttp::{Request, Response};
use serde::{Serialize, de::DeserializeOwned};

const JSON: &str = "Content-Type: application/json";
const TEXT: &str = "Content-Type: text/plain; charset=utf-8";

/// Why a request is not served: the text goes to the client.
#[derive(Debug)]
pub struct Refusal {
    code: usize,
    reason: &'static str,
    text: String,
}

impl Refusal {
    pub fn malformed(text: impl Display) -> Self {
        Self::new(400, "Bad Request", text)
    }

    pub fn unauthorized(text: impl Display) -> Self {
        Self::new(401, "Unauthorized", text)
    }

    pub fn not_found() -> Self {
        Self::new(404, "Not Found", "no such path")
    }

    pub fn method() -> Self {
        Self::new(405, "Method Not Allowed", "not with this method")
    }

    pub fn internal(text: impl Display) -> Self {
        Self::new(500, "Internal Server Error", text)
    }

    fn new(code: usize, reason: &'static str, text: impl Display) -> Self {
        Self {
            code,
            reason,
            text: text.to_string(),
        }
    }

    pub fn send(self, response: &mut Response<'_>) {
        response.status_code(self.code, self.reason).header(TEXT);
        response.body_vec(self.text.into_bytes());
    }
}

pub fn text(response: &mut Response<'_>, text: &'static str) {
    response.header(TEXT).body(text);
}

pub fn json(response: &mut Response<'_>, value: &impl Serialize) -> Result<(), Refusal> {
    serde_json::to_writer(response.body_mut().writer(), value).map_err(Refusal::internal)?;
    response.header(JSON);
    Ok(())
}

/// The value that a request carries as JSON.
pub fn read_json<T: DeserializeOwned>(request: Request<'_, '_, '_>, max_bytes: usize) -> Result<T, Refusal> {
    let is_json = is_json(&request);
    let bytes = read(request, max_bytes)?;
    if !is_json {
        return Err(Refusal::new(
            415,
            "Unsupported Media Type",
            "want content-type: application/json",
        ));
    }
    serde_json::from_slice(&bytes).map_err(Refusal::malformed)
}

/// Reads a body to its end, also one that nobody wants: what is left of it would be taken for the next request.
pub fn read(request: Request<'_, '_, '_>, max_bytes: usize) -> Result<Vec<u8>, Refusal> {
    let length = content_length(&request)?;
    let mut body = request.body();
    if length > max_bytes {
        // The reader reads the rest when it is dropped.
        let text = format_args!("the body is larger than {max_bytes} bytes");
        return Err(Refusal::new(413, "Payload Too Large", text));
    }
    let mut bytes = Vec::with_capacity(length);
    body.read_to_end(&mut bytes).map_err(Refusal::malformed)?;
    Ok(bytes)
}

/// `Request::body` would panic where the length is not a number, and take the first of two.
fn content_length(request: &Request<'_, '_, '_>) -> Result<usize, Refusal> {
    if field(request, "transfer-encoding").next().is_some() {
        let text = "want content-length, not transfer-encoding";
        return Err(Refusal::new(411, "Length Required", text));
    }
    let mut lengths = field(request, "content-length");
    let Some(length) = lengths.next() else { return Ok(0) };
    if lengths.any(|other| other != length) || !length.iter().all(u8::is_ascii_digit) {
        return Err(Refusal::malformed("content-length is not one number"));
    }
    let digits = str::from_utf8(length).map_err(Refusal::malformed)?;
    digits.parse().map_err(Refusal::malformed)
}

fn is_json(request: &Request<'_, '_, '_>) -> bool {
    let essence = field(request, "content-type")
        .next()
        .and_then(|value| value.split(|byte| *byte == b';').next());
    essence.is_some_and(|essence| essence.trim_ascii().eq_ignore_ascii_case(b"application/json"))
}

pub fn field<'a>(request: &'a Request<'_, '_, '_>, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    let named = request
        .headers()
        .iter()
        .filter(move |header| header.name.eq_ignore_ascii_case(name));
    named.map(|header| header.value)
}
