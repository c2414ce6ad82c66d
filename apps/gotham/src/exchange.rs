//! What Gotham leaves to the application: JSON in and out of bodies, and the text of its refusals.

use contract::{MAX_BODY_BYTES, Payload};
use gotham::{
    handler::{HandlerError, IntoBody as _, MapHandlerError as _},
    helpers::http::Body,
    http::{
        Response, StatusCode,
        header::{CONTENT_TYPE, HeaderValue},
    },
    http_body_util::{BodyExt as _, LengthLimitError, Limited},
    mime::{self, Mime},
    state::{FromState as _, State},
};
use serde::Serialize;

pub type Json = (Mime, Vec<u8>);

pub fn json(value: &impl Serialize) -> Result<Json, HandlerError> {
    Ok((mime::APPLICATION_JSON, serde_json::to_vec(value)?))
}

/// A body of any type and size.
pub async fn read_payload(state: &mut State) -> Result<Payload, HandlerError> {
    let body = Body::take_from(state).collect().await;
    let body = body.map_err_with_status(StatusCode::BAD_REQUEST)?;
    serde_json::from_slice(&body.to_bytes()).map_err_with_status(StatusCode::BAD_REQUEST)
}

pub async fn read_limited_payload(state: &mut State) -> Result<Payload, HandlerError> {
    let body = Limited::new(Body::take_from(state), MAX_BODY_BYTES);
    let body = body.collect().await.map_err(|error| {
        let status = if error.is::<LengthLimitError>() {
            StatusCode::PAYLOAD_TOO_LARGE
        } else {
            StatusCode::BAD_REQUEST
        };
        HandlerError::from(gotham::anyhow::anyhow!(error)).with_status(status)
    })?;
    serde_json::from_slice(&body.to_bytes()).map_err_with_status(StatusCode::BAD_REQUEST)
}

/// Gives a response that only has a status its name as a text.
pub fn name_status(_: &mut State, response: &mut Response<Body>) {
    let name = response.status().canonical_reason().unwrap_or_default();
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    *response.body_mut() = name.into_body();
}
