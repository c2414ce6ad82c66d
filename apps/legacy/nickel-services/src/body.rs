//! The body of a request: nickel reads any as JSON, whatever its size.

use std::io::{self, Read as _};

use nickel::{Request, status::StatusCode};
use serde::de::DeserializeOwned;
use services_contract::MAX_BODY_BYTES;

use crate::routes::Failure;

/// How much is read of a body that nobody wants. What remains of it would be taken for the next request.
const MAX_DISCARDED_BYTES: u64 = 16 * 1024 * 1024;

pub fn json<T: DeserializeOwned>(request: &mut Request) -> Result<T, Failure> {
    let mut bytes = Vec::new();
    let mut limited = (&mut request.origin).take(MAX_BODY_BYTES as u64 + 1);
    limited.read_to_end(&mut bytes).map_err(|error| bad_request(&error))?;
    if bytes.len() > MAX_BODY_BYTES {
        let text = format!("the body is larger than {MAX_BODY_BYTES} bytes");
        return Err((StatusCode::PayloadTooLarge, text));
    }
    serde_json::from_slice(&bytes).map_err(|error| bad_request(&error))
}

pub fn bad_request(error: &impl ToString) -> Failure {
    (StatusCode::BadRequest, error.to_string())
}

pub fn discard(request: &mut Request) {
    // Where it breaks, the connection ends anyway.
    let _ = io::copy(&mut (&mut request.origin).take(MAX_DISCARDED_BYTES), &mut io::sink());
}
