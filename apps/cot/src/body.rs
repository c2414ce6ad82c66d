//! The limit of what is hashed, by an extractor of the app's own around Cot's.

use std::{error::Error as StdError, iter};

use contract::MAX_BODY_BYTES;
use cot::{
    Body, Error, StatusCode,
    json::Json,
    request::{RequestHead, extractors::FromRequest},
};
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;

/// By itself, `Json` reads a body of any size (<https://github.com/cot-rs/cot/issues/341>).
pub struct LimitedJson<T>(pub T);

impl<T: DeserializeOwned> FromRequest for LimitedJson<T> {
    async fn from_request(head: &RequestHead, body: Body) -> cot::Result<Self> {
        let bytes = body.into_bytes_limited(MAX_BODY_BYTES).await.map_err(too_large)?;
        let Json(value) = Json::from_request(head, Body::fixed(bytes)).await?;
        Ok(Self(value))
    }
}

/// Cot answers a body above the limit with 400, as one that cannot be read.
fn too_large(error: Error) -> Error {
    if iter::successors(error.source(), |&error| error.source()).any(<dyn StdError>::is::<LengthLimitError>) {
        let text = format!("the body is larger than {MAX_BODY_BYTES} bytes");
        Error::with_status(text, StatusCode::PAYLOAD_TOO_LARGE)
    } else {
        error
    }
}
