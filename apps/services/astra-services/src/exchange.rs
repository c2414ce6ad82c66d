//! What another framework would do: bodies in and out of their bytes. Astra has neither routing nor JSON.

use std::fmt::Display;

use astra::{Body, Request, Response, ResponseBuilder};
use serde::{Serialize, de::DeserializeOwned};
use services_contract::MAX_BODY_BYTES;

/// Why a request is not served: the text goes to the client.
#[derive(Debug)]
pub struct Refusal {
    status: u16,
    text: String,
}

impl Refusal {
    pub fn new(status: u16, text: impl Display) -> Self {
        Self {
            status,
            text: text.to_string(),
        }
    }

    fn malformed(error: impl Display) -> Self {
        Self::new(400, error)
    }
}

impl From<Refusal> for Response {
    fn from(refusal: Refusal) -> Self {
        with_type(refusal.status, "text/plain; charset=utf-8", refusal.text.into_bytes())
    }
}

pub fn text(text: &'static str) -> Response {
    with_type(200, "text/plain; charset=utf-8", text.into())
}

pub fn json(status: u16, value: &impl Serialize) -> Result<Response, Refusal> {
    let bytes = serde_json::to_vec(value).map_err(|error| Refusal::new(500, error))?;
    Ok(with_type(status, "application/json", bytes))
}

fn with_type(status: u16, content_type: &'static str, bytes: Vec<u8>) -> Response {
    ResponseBuilder::new()
        .status(status)
        .header("content-type", content_type)
        .body(Body::new(bytes))
        .expect("a status and a type that are known to be good")
}

/// The value that a request carries as JSON.
pub fn read_json<T: DeserializeOwned>(request: Request) -> Result<T, Refusal> {
    if !is_json(&request) {
        return Err(Refusal::new(415, "want content-type: application/json"));
    }
    // Astra waits for ever for a body that does not come with its head, as a large one does not: it is not read at all.
    if announced(&request) > MAX_BODY_BYTES {
        return Err(too_large());
    }
    serde_json::from_slice(&read(request.into_body())?).map_err(Refusal::malformed)
}

fn announced(request: &Request) -> usize {
    let length = request.headers().get("content-length");
    let length = length.and_then(|value| value.to_str().ok()?.parse().ok());
    length.unwrap_or_default()
}

fn too_large() -> Refusal {
    Refusal::new(413, format_args!("the body is larger than {MAX_BODY_BYTES} bytes"))
}

fn is_json(request: &Request) -> bool {
    let content_type = request
        .headers()
        .get("content-type")
        .and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|text| text.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

fn read(body: Body) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    for chunk in body {
        bytes.extend_from_slice(&chunk.map_err(Refusal::malformed)?);
        if bytes.len() > MAX_BODY_BYTES {
            return Err(too_large());
        }
    }
    Ok(bytes)
}
