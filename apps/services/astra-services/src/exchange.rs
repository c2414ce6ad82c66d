//! What another framework would do: answers into their bytes. Astra has neither routing nor JSON.

use std::{fmt::Display, io::Read};

use astra::{Body, Response, ResponseBuilder};
use serde::Serialize;

const TEXT: &str = "text/plain; charset=utf-8";

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
        with_type(refusal.status, TEXT, Body::new(refusal.text))
    }
}

pub fn text(text: &'static str) -> Response {
    with_type(200, TEXT, Body::new(text))
}

/// Text in pieces: what each `read` gives is sent as it comes.
pub fn text_in_pieces(text: impl Read + Send + 'static) -> Response {
    with_type(200, TEXT, Body::wrap_reader(text))
}

pub fn json(value: &impl Serialize) -> Result<Response, Refusal> {
    let bytes = serde_json::to_vec(value).map_err(|error| Refusal::new(500, error))?;
    Ok(with_type(200, "application/json", Body::new(bytes)))
}

fn with_type(status: u16, content_type: &'static str, body: Body) -> Response {
    ResponseBuilder::new()
        .status(status)
        .header("content-type", content_type)
        .body(body)
        .expect("a status and a type that are known to be good")
}
