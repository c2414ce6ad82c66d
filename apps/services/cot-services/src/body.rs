//! Bodies, by extractors of the app's own around Cot's.

use std::{error::Error as StdError, iter};

use cot::{
    Body, Error, StatusCode,
    form::{Form, FormResult},
    json::Json,
    request::{
        RequestHead,
        extractors::{FromRequest, RequestForm},
    },
};
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;
use services_contract::{MAX_BODY_BYTES, MAX_UPLOAD_BYTES};

/// By itself, `Json` reads a body of any size (<https://github.com/cot-rs/cot/issues/341>).
pub struct LimitedJson<T>(pub T);

impl<T: DeserializeOwned> FromRequest for LimitedJson<T> {
    async fn from_request(head: &RequestHead, body: Body) -> cot::Result<Self> {
        let body = limited(body, MAX_BODY_BYTES).await?;
        let Json(value) = Json::from_request(head, body).await?;
        Ok(Self(value))
    }
}

/// The same of `RequestForm`, whose files are in memory at the end in any case.
pub struct LimitedForm<F: Form>(pub FormResult<F>);

impl<F: Form> FromRequest for LimitedForm<F> {
    async fn from_request(head: &RequestHead, body: Body) -> cot::Result<Self> {
        let body = limited(body, MAX_UPLOAD_BYTES).await?;
        let RequestForm(form) = RequestForm::from_request(head, body).await?;
        Ok(Self(form))
    }
}

async fn limited(body: Body, bytes: usize) -> cot::Result<Body> {
    let read = body.into_bytes_limited(bytes).await;
    read.map(Body::fixed).map_err(|error| too_large(error, bytes))
}

/// Cot answers a body above the limit with 400, as one that cannot be read.
fn too_large(error: Error, bytes: usize) -> Error {
    if iter::successors(error.source(), |&error| error.source()).any(<dyn StdError>::is::<LengthLimitError>) {
        let text = format!("the body is larger than {bytes} bytes");
        Error::with_status(text, StatusCode::PAYLOAD_TOO_LARGE)
    } else {
        error
    }
}
