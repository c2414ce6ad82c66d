//! The body of a request. Roa reads any body as JSON, whatever its type and size, and reserves the memory that its
//! `Content-Length` speaks of.

use contract::{MAX_BODY_BYTES, Payload};
use roa::{
    Context, Result, Status,
    body::PowerBody as _,
    http::{
        StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE},
    },
    status,
};
use tokio::io::{self, AsyncRead, AsyncReadExt as _};

/// How much of a refused body is read before it is answered. hyper closes a connection whose request it has not read to
/// the end, and a client that is still sending then finds a broken connection in place of its answer.
const MAX_DISCARDED_BYTES: u64 = 16 * 1024 * 1024;

pub async fn read(ctx: &mut Context) -> Result<Payload> {
    if !is_json(ctx) {
        discard(ctx.req.reader()).await;
        return Err(status!(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "want content-type: application/json"
        ));
    }
    let length: Option<usize> = ctx.get(CONTENT_LENGTH).and_then(|length| length.parse().ok());
    match length {
        Some(length) if length <= MAX_BODY_BYTES => ctx.read_json().await,
        Some(_) => Err(too_large(ctx.req.reader()).await),
        None => read_unsized(ctx).await,
    }
}

fn is_json(ctx: &Context) -> bool {
    let content_type = ctx.get(CONTENT_TYPE).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// A body that does not say how long it is.
async fn read_unsized(ctx: &mut Context) -> Result<Payload> {
    let mut bytes = Vec::new();
    let mut limited = ctx.req.reader().take(MAX_BODY_BYTES as u64 + 1);
    limited
        .read_to_end(&mut bytes)
        .await
        .map_err(|error| status!(StatusCode::BAD_REQUEST, error))?;
    if bytes.len() > MAX_BODY_BYTES {
        return Err(too_large(limited.into_inner()).await);
    }
    serde_json::from_slice(&bytes).map_err(|error| status!(StatusCode::BAD_REQUEST, error))
}

async fn too_large(rest: impl AsyncRead + Unpin) -> Status {
    discard(rest).await;
    let text = format!("the body is larger than {MAX_BODY_BYTES} bytes");
    status!(StatusCode::PAYLOAD_TOO_LARGE, text)
}

async fn discard(body: impl AsyncRead + Unpin) {
    // Where it breaks, there is nobody left to answer.
    let _ = io::copy(&mut body.take(MAX_DISCARDED_BYTES), &mut io::sink()).await;
}
