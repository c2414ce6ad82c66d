//! What goes back to the client, before it is bytes.

use std::fmt::Display;

use bytes::Bytes;
use http::{
    Response, StatusCode,
    header::{CONTENT_TYPE, HeaderValue},
};
use serde::Serialize;

pub type Answer = Response<Bytes>;

/// Why a request is not served: the text goes to the client.
#[derive(Debug)]
pub struct Refusal {
    pub status: StatusCode,
    text: String,
}

impl Refusal {
    /// An unknown `status` is a defect of this app.
    pub fn new(status: u16, text: impl Display) -> Self {
        Self {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            text: text.to_string(),
        }
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        text(refusal.status, refusal.text)
    }
}

pub fn text(status: StatusCode, text: impl Into<Bytes>) -> Answer {
    with_type(status, "text/plain; charset=utf-8", text.into())
}

pub fn json(value: &impl Serialize) -> Result<Answer, Refusal> {
    let bytes = serde_json::to_vec(value).map_err(|error| Refusal::new(500, error))?;
    Ok(with_type(StatusCode::OK, "application/json", bytes.into()))
}

fn with_type(status: StatusCode, content_type: &'static str, bytes: Bytes) -> Answer {
    let mut answer = Response::new(bytes);
    *answer.status_mut() = status;
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}
