//! The body of a request. Roa reads one of any size, and reserves the memory that its `Content-Length` speaks of.

use std::fmt::Display;

use roa::{
    Context, Result, Status,
    body::PowerBody as _,
    http::{StatusCode, header::CONTENT_LENGTH},
    status,
};
use serde::de::DeserializeOwned;
use services_contract::MAX_BODY_BYTES;
use tokio::io::{self, AsyncRead, AsyncReadExt as _};

/// How much of a refused body is read before it is answered. hyper closes a connection whose request it has not read to
/// the end, and a client that is still sending then finds a broken connection in place of its answer.
const MAX_DISCARDED_BYTES: u64 = 16 * 1024 * 1024;

pub async fn json<T: DeserializeOwned>(ctx: &mut Context) -> Result<T> {
    match length(ctx) {
        Some(length) if length <= MAX_BODY_BYTES => ctx.read_json().await,
        Some(_) => Err(too_large(ctx.req.reader(), MAX_BODY_BYTES).await),
        None => unsized_json(ctx).await,
    }
}

pub fn length(ctx: &Context) -> Option<usize> {
    ctx.get(CONTENT_LENGTH).and_then(|length| length.parse().ok())
}

/// A body that does not say how long it is.
async fn unsized_json<T: DeserializeOwned>(ctx: &mut Context) -> Result<T> {
    let mut bytes = Vec::new();
    let mut limited = ctx.req.reader().take(MAX_BODY_BYTES as u64 + 1);
    limited.read_to_end(&mut bytes).await.map_err(bad_request)?;
    if bytes.len() > MAX_BODY_BYTES {
        return Err(too_large(limited.into_inner(), MAX_BODY_BYTES).await);
    }
    serde_json::from_slice(&bytes).map_err(bad_request)
}

/// The answer to a body above `most` bytes, of which there is a `rest`.
pub async fn too_large(rest: impl AsyncRead + Unpin, most: usize) -> Status {
    // Where it breaks, there is nobody left to answer.
    let _ = io::copy(&mut rest.take(MAX_DISCARDED_BYTES), &mut io::sink()).await;
    let text = format!("the body is larger than {most} bytes");
    status!(StatusCode::PAYLOAD_TOO_LARGE, text)
}

pub fn bad_request(error: impl Display) -> Status {
    status!(StatusCode::BAD_REQUEST, error)
}
