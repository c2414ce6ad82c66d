//! What a framework would do: bodies in and out of their bytes.

use std::{fmt::Display, io};

use http_body_util::{BodyExt, Either, Full, combinators::BoxBody};
use hyper::{
    HeaderMap, Response, StatusCode,
    body::{Body, Bytes, Incoming},
    header::{CONTENT_TYPE, HeaderValue},
};
use serde::{Serialize, de::DeserializeOwned};

/// Whole, or in pieces.
pub type Answer = Response<Either<Full<Bytes>, BoxBody<Bytes, io::Error>>>;

/// Why a request is not served: the text goes to the client.
#[derive(Debug)]
pub struct Refusal {
    pub status: StatusCode,
    pub text: String,
}

impl Refusal {
    pub fn new(status: StatusCode, text: impl Display) -> Self {
        Self {
            status,
            text: text.to_string(),
        }
    }

    pub fn internal(error: impl Display) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error)
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

pub fn json(status: StatusCode, value: &impl Serialize) -> Result<Answer, Refusal> {
    let bytes = serde_json::to_vec(value).map_err(Refusal::internal)?;
    Ok(with_type(status, "application/json", bytes.into()))
}

pub fn with_type(status: StatusCode, content_type: &'static str, bytes: Bytes) -> Answer {
    let mut answer = Response::new(Either::Left(Full::new(bytes)));
    *answer.status_mut() = status;
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}

/// The value that a request carries as JSON.
pub async fn read_json<T: DeserializeOwned>(headers: &HeaderMap, body: Incoming) -> Result<T, Refusal> {
    if !is_json(headers) {
        discard(body).await;
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "want content-type: application/json",
        ));
    }
    let bytes = read(body).await?;
    serde_json::from_slice(&bytes).map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error))
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(content_type) = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

async fn read(mut body: Incoming) -> Result<Bytes, Refusal> {
    let mut read = Bytes::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error))?;
        let Ok(data) = frame.into_data() else { continue };
        if read.len() + data.len() > MAX_BODY_BYTES {
            discard(body).await;
            let text = format_args!("the body is larger than {MAX_BODY_BYTES} bytes");
            return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, text));
        }
        // Almost every body is one frame: it is handed on as it came, without a copy.
        read = if read.is_empty() {
            data
        } else {
            [read, data].concat().into()
        };
    }
    Ok(read)
}

/// How large a body may be, in bytes.
const MAX_BODY_BYTES: usize = 256 * 1024;

/// How much of a refused body is read before it is answered. hyper closes a connection whose request it has not read to
/// the end, and a client that is still sending then finds a broken connection in place of its answer.
const MAX_DISCARDED_BYTES: usize = 16 * 1024 * 1024;

/// Reads what is left of a body that nobody wants.
pub async fn discard(mut body: Incoming) {
    let mut discarded = 0;
    while !body.is_end_stream() && discarded < MAX_DISCARDED_BYTES {
        let Some(Ok(frame)) = body.frame().await else { return };
        discarded += frame.data_ref().map_or(0, Bytes::len);
    }
}
