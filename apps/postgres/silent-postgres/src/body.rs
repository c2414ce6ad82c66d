//! The body of an order, by an extractor of one's own, as Silent's guide to extractors has them.

use async_trait::async_trait;
use postgres_contract::MAX_BODY_BYTES;
use serde::de::DeserializeOwned;
use silent::{
    Request, SilentError, StatusCode,
    extractor::FromRequest,
    headers::{ContentLength, HeaderMapExt as _},
};

/// Silent's `Json` answers a body above the limit with a 400 that calls it empty, and one without a type with a 500.
pub struct Json<T>(pub T);

#[async_trait]
impl<T: DeserializeOwned + Send + 'static> FromRequest for Json<T> {
    type Rejection = SilentError;

    /// What comes without a length is cut off by the server's own limit, with that 400.
    async fn from_request(request: &mut Request) -> Result<Self, SilentError> {
        let length = request.headers().typed_get::<ContentLength>();
        if length.is_some_and(|length| length.0 > MAX_BODY_BYTES as u64) {
            let text = format!("the body is larger than {MAX_BODY_BYTES} bytes");
            return Err(SilentError::business_error(StatusCode::PAYLOAD_TOO_LARGE, text));
        }
        match request.json_parse().await {
            Ok(value) => Ok(Self(value)),
            Err(error @ SilentError::ContentTypeMissingError) => Err(SilentError::business_error(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                error.to_string(),
            )),
            Err(error) => Err(error),
        }
    }
}
