//! Bodies, by a custom extractor: Dropshot's own implement the same trait.

use async_trait::async_trait;
use dropshot::{
    ApiEndpointBodyContentType, Body, ClientErrorStatusCode, ExclusiveExtractor, ExtractorMetadata, HttpError,
    RequestContext, ServerContext, TypedBody,
};
use hyper::{Request, body::Body as _};
use serde::de::DeserializeOwned;

use crate::Message;

/// Dropshot's `TypedBody` answers a body above the limit with a 400.
pub struct Json<T, const MAX_BYTES: usize>(pub T);

#[async_trait]
impl<T: DeserializeOwned + Send + Sync + 'static, const MAX_BYTES: usize> ExclusiveExtractor for Json<T, MAX_BYTES> {
    /// What comes without a length is cut off by the server's own limit, with that 400.
    async fn from_request<Context: ServerContext>(
        context: &RequestContext<Context>,
        request: Request<Body>,
    ) -> Result<Self, HttpError> {
        refuse_above(MAX_BYTES, &request)?;
        let body = TypedBody::<Message<T>>::from_request(context, request).await?;
        Ok(Self(body.into_inner().0))
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <TypedBody<Message<T>> as ExclusiveExtractor>::metadata(content_type)
    }
}

pub fn refuse_above(max_bytes: usize, request: &Request<Body>) -> Result<(), HttpError> {
    if request.body().size_hint().lower() > max_bytes as u64 {
        let status = ClientErrorStatusCode::PAYLOAD_TOO_LARGE;
        return Err(HttpError::for_client_error_with_status(None, status));
    }
    Ok(())
}
