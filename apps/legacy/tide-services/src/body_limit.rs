//! The middleware that Tide lacks: a limit for bodies.

use async_std::io::{self, ReadExt as _};
use services_contract::MAX_BODY_BYTES;
use tide::{Body, Error, Middleware, Next, Request, Result, StatusCode, utils::async_trait};

/// How much of a refused body is read before it is answered. What remains is read by Tide's engine after the answer, together
/// with the beginning of the next request, which is lost by that.
const MAX_DISCARDED_BYTES: u64 = 16 * 1024 * 1024;

pub struct BodyLimit;

#[async_trait]
impl Middleware<()> for BodyLimit {
    async fn handle(&self, mut request: Request<()>, next: Next<'_, ()>) -> Result {
        match request.len() {
            Some(length) if length > MAX_BODY_BYTES => return Err(too_large(request.take_body()).await),
            Some(_) => {}
            None => {
                let body = read(request.take_body()).await?;
                request.set_body(body);
            }
        }
        Ok(next.run(request).await)
    }
}

/// A body that does not say how long it is.
async fn read(body: Body) -> Result<Body> {
    let mut bytes = Vec::new();
    let mut limited = body.take(MAX_BODY_BYTES as u64 + 1);
    limited
        .read_to_end(&mut bytes)
        .await
        .map_err(|error| Error::new(StatusCode::BadRequest, error))?;
    if bytes.len() > MAX_BODY_BYTES {
        return Err(too_large(limited.into_inner()).await);
    }
    Ok(bytes.into())
}

async fn too_large(rest: Body) -> Error {
    // Where it breaks, there is nobody left to answer.
    let _ = io::copy(&mut rest.take(MAX_DISCARDED_BYTES), &mut io::sink()).await;
    let text = format!("the body is larger than {MAX_BODY_BYTES} bytes");
    Error::from_str(StatusCode::PayloadTooLarge, text)
}
