//! What all servers of Cot share, those with a database and with service features too: the limit of a body, by an extractor of the app's own
//! around Cot's, and how they serve.

use std::{error::Error as StdError, future, iter, net::SocketAddr};

use cot::{
    Body, Bootstrapper, Error, Project, StatusCode,
    json::Json,
    project::run_at_with_shutdown,
    request::{RequestHead, extractors::FromRequest},
};
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;

/// By itself, `Json` reads a body of any size (<https://github.com/cot-rs/cot/issues/341>).
pub struct LimitedJson<T, const MAX_BYTES: usize>(pub T);

impl<T: DeserializeOwned, const MAX_BYTES: usize> FromRequest for LimitedJson<T, MAX_BYTES> {
    async fn from_request(head: &RequestHead, body: Body) -> cot::Result<Self> {
        let body = limited(body, MAX_BYTES).await?;
        let Json(value) = Json::from_request(head, body).await?;
        Ok(Self(value))
    }
}

/// The whole body, if it is not larger than that.
pub async fn limited(body: Body, max_bytes: usize) -> cot::Result<Body> {
    let read = body.into_bytes_limited(max_bytes).await;
    read.map(Body::fixed).map_err(|error| too_large(error, max_bytes))
}

/// Cot answers a body above the limit with 400, as one that cannot be read.
fn too_large(error: Error, max_bytes: usize) -> Error {
    if iter::successors(error.source(), |&error| error.source()).any(<dyn StdError>::is::<LengthLimitError>) {
        let text = format!("the body is larger than {max_bytes} bytes");
        Error::with_status(text, StatusCode::PAYLOAD_TOO_LARGE)
    } else {
        error
    }
}

/// What `#[cot::main]` does, without a command line, and with a shutdown that never comes: by itself, Cot would wait for open connections at
/// SIGTERM.
pub async fn serve(project: impl Project + Send + 'static, addr: SocketAddr) -> cot::Result<()> {
    let listener = contract_tokio::listen(addr).await;
    let bootstrapper = Bootstrapper::new(project).with_config_name("prod")?.boot().await?;
    run_at_with_shutdown(bootstrapper, listener, future::pending()).await
}
