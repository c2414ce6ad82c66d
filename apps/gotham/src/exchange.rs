//! JSON in and out of bodies, which Gotham leaves to the application.

use contract::Payload;
use gotham::{
    handler::{HandlerError, MapHandlerError as _},
    helpers::http::Body,
    http::StatusCode,
    http_body_util::BodyExt as _,
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
