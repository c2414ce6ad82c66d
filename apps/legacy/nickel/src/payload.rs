//! The body of a request: nickel reads any as JSON, whatever its type and size.

use std::io::{self, Read as _};

use contract::{MAX_BODY_BYTES, Payload};
use nickel::{Request, status::StatusCode};

use crate::routes::Failure;

/// How much is read of a body that nobody wants. What remains of it would be taken for the next request.
const MAX_DISCARDED_BYTES: u64 = 16 * 1024 * 1024;

pub fn read(request: &mut Request) -> Result<Payload, Failure> {
    if !is_json(request) {
        let text = "want content-type: application/json";
        return Err((StatusCode::UnsupportedMediaType, text.to_owned()));
    }
    let mut bytes = Vec::new();
    let mut limited = (&mut request.origin).take(MAX_BODY_BYTES as u64 + 1);
    limited.read_to_end(&mut bytes).map_err(|error| bad_request(&error))?;
    if bytes.len() > MAX_BODY_BYTES {
        let text = format!("the body is larger than {MAX_BODY_BYTES} bytes");
        return Err((StatusCode::PayloadTooLarge, text));
    }
    serde_json::from_slice(&bytes).map_err(|error| bad_request(&error))
}

/// By the bytes of the header: the type that nickel would have it in is one of its engine's, which it does not hand on.
fn is_json(request: &Request) -> bool {
    let content_type = request.origin.headers.get_raw("content-type").and_then(<[_]>::first);
    let essence = content_type.and_then(|value| value.split(|byte| *byte == b';').next());
    essence.is_some_and(|essence| essence.trim_ascii().eq_ignore_ascii_case(b"application/json"))
}

fn bad_request(error: &impl ToString) -> Failure {
    (StatusCode::BadRequest, error.to_string())
}

pub fn discard(request: &mut Request) {
    // Where it breaks, the connection ends anyway.
    let _ = io::copy(&mut (&mut request.origin).take(MAX_DISCARDED_BYTES), &mut io::sink());
}
