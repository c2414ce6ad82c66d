//! Bodies, by a custom extractor: Dropshot's own implement the same trait.

use async_trait::async_trait;
use contract::MAX_BODY_BYTES;
use dropshot::{
    ApiEndpointBodyContentType, Body, ClientErrorStatusCode, ExclusiveExtractor, ExtractorMetadata, HttpError,
    RequestContext, ServerContext, TypedBody,
};
use hyper::{Request, body::Body as _};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// Dropshot's `TypedBody` answers a body above the limit with a 400.
pub struct Json<T>(pub T);

#[async_trait]
impl<T: DeserializeOwned + JsonSchema + Send + Sync + 'static> ExclusiveExtractor for Json<T> {
    /// What comes without a length is cut off by the server's own limit, with that 400.
    async fn from_request<Context: ServerContext>(
        context: &RequestContext<Context>,
        request: Request<Body>,
    ) -> Result<Self, HttpError> {
        if request.body().size_hint().lower() > MAX_BODY_BYTES as u64 {
            let status = ClientErrorStatusCode::PAYLOAD_TOO_LARGE;
            return Err(HttpError::for_client_error_with_status(None, status));
        }
        let body = TypedBody::from_request(context, request).await?;
        Ok(Self(body.into_inner()))
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <TypedBody<T> as ExclusiveExtractor>::metadata(content_type)
    }
}
