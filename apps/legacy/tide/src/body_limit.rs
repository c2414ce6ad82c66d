//! The middleware that Tide lacks: a limit for bodies.

use async_std::io::ReadExt as _;
use contract::MAX_BODY_BYTES;
use tide::{Body, Error, Middleware, Next, Request, Result, StatusCode, utils::async_trait};

pub struct BodyLimit;

#[async_trait]
impl Middleware<()> for BodyLimit {
    async fn handle(&self, mut request: Request<()>, next: Next<'_, ()>) -> Result {
        match request.len() {
            Some(length) if length > MAX_BODY_BYTES => return Err(too_large()),
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
        return Err(too_large());
    }
    Ok(bytes.into())
}

fn too_large() -> Error {
    let text = format!("the body is larger than {MAX_BODY_BYTES} bytes");
    Error::from_str(StatusCode::PayloadTooLarge, text)
}
