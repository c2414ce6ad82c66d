//! Bodies of requests, with another limit than in `apps/hyper`.

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::{StatusCode, body::Incoming};
use hyper_app::exchange::{Refusal, discard};
use serde::de::DeserializeOwned;
use services_contract::MAX_BODY_BYTES;

/// The value that a body holds as JSON.
pub async fn read_json<T: DeserializeOwned>(mut body: Incoming) -> Result<T, Refusal> {
    let read = Limited::new(&mut body, MAX_BODY_BYTES).collect().await;
    match read {
        Ok(read) => {
            let value = serde_json::from_slice(&read.to_bytes());
            value.map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error))
        }
        Err(error) if error.is::<LengthLimitError>() => {
            discard(body).await;
            let text = format_args!("the body is larger than {MAX_BODY_BYTES} bytes");
            Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, text))
        }
        Err(error) => Err(Refusal::new(StatusCode::BAD_REQUEST, error)),
    }
}
