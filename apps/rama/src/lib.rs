//! What all servers of rama share, those with a database and with service features too: the limit of a body, by an extractor of the app's own
//! around rama's.

use std::{error::Error, iter};

use rama::http::{
    Request, Response, StatusCode,
    body::util::LengthLimitError,
    service::web::{
        extract::{FromRequest, Json},
        response::IntoResponse as _,
    },
};
use serde::de::DeserializeOwned;

/// By itself, `Json` reads a body of any size, and answers one above a limit with 400.
pub struct LimitedJson<T, const MAX_BYTES: usize>(pub T);

impl<T: DeserializeOwned + Send + Sync + 'static, const MAX_BYTES: usize> FromRequest for LimitedJson<T, MAX_BYTES> {
    type Rejection = Response;

    async fn from_request(request: Request) -> Result<Self, Response> {
        let request = request.map(|body| body.limited(MAX_BYTES));
        match Json::from_request(request).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(refusal) if is_of_the_limit(&refusal) => {
                let text = format!("the body is larger than {MAX_BYTES} bytes");
                Err((StatusCode::PAYLOAD_TOO_LARGE, text).into_response())
            }
            Err(refusal) => Err(refusal.into_response()),
        }
    }
}

fn is_of_the_limit(refusal: &(dyn Error + 'static)) -> bool {
    iter::successors(Some(refusal), |&error| error.source()).any(<dyn Error>::is::<LengthLimitError>)
}
