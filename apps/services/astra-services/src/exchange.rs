//! What another framework would do: answers into their bytes. Astra has neither routing nor JSON.

use std::fmt::Display;

use astra::{Body, Response, ResponseBuilder};
use serde::Serialize;

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
}

impl From<Refusal> for Response {
    fn from(refusal: Refusal) -> Self {
        with_type(refusal.status, "text/plain; charset=utf-8", refusal.text.into_bytes())
    }
}

pub fn text(text: &'static str) -> Response {
    with_type(200, "text/plain; charset=utf-8", text.into())
}

pub fn json(value: &impl Serialize) -> Result<Response, Refusal> {
    let bytes = serde_json::to_vec(value).map_err(|error| Refusal::new(500, error))?;
    Ok(with_type(200, "application/json", bytes))
}

fn with_type(status: u16, content_type: &'static str, bytes: Vec<u8>) -> Response {
    ResponseBuilder::new()
        .status(status)
        .header("content-type", content_type)
        .body(Body::new(bytes))
        .expect("a status and a type that are known to be good")
}
