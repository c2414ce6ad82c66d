//! What Gotham leaves to the application, and the server with service features has from here: the limit of a body, and the text of a refusal.

use gotham::{
    handler::{HandlerError, IntoBody as _, MapHandlerError as _},
    helpers::http::Body,
    http::{
        Response, StatusCode,
        header::{CONTENT_TYPE, HeaderValue},
    },
    http_body_util::{BodyExt as _, LengthLimitError, Limited},
    state::{FromState as _, State},
};
use serde::de::DeserializeOwned;

/// What a body of any type holds as JSON, if it is not larger than that.
pub async fn read_limited<T: DeserializeOwned>(state: &mut State, max_bytes: usize) -> Result<T, HandlerError> {
    let body = Limited::new(Body::take_from(state), max_bytes);
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
