//! The limit of what is hashed, by an extractor of the app's own around rama's.

use std::{error::Error, iter};

use contract::MAX_BODY_BYTES;
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
pub struct LimitedJson<T>(pub T);

impl<T: DeserializeOwned + Send + Sync + 'static> FromRequest for LimitedJson<T> {
    type Rejection = Response;

    async fn from_request(request: Request) -> Result<Self, Response> {
        let request = request.map(|body| body.limited(MAX_BODY_BYTES));
        match Json::from_request(request).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(refusal) if is_of_the_limit(&refusal) => {
                let text = format!("the body is larger than {MAX_BODY_BYTES} bytes");
                Err((StatusCode::PAYLOAD_TOO_LARGE, text).into_response())
            }
            Err(refusal) => Err(refusal.into_response()),
        }
    }
}

fn is_of_the_limit(refusal: &(dyn Error + 'static)) -> bool {
    iter::successors(Some(refusal), |&error| error.source()).any(<dyn Error>::is::<LengthLimitError>)
}
