//! The body of an order, by a custom extractor: Dropshot's own implement the same trait.

use async_trait::async_trait;
use dropshot::{
    ApiEndpointBodyContentType, Body, ClientErrorStatusCode, ExclusiveExtractor, ExtractorMetadata, HttpError,
    RequestContext, ServerContext, TypedBody,
};
use hyper::{Request, body::Body as _};
use postgres_contract::MAX_BODY_BYTES;
use serde::de::DeserializeOwned;

use crate::messages::Message;

/// Dropshot's `TypedBody` answers a body above the limit with a 400.
pub struct Json<T>(pub T);

#[async_trait]
impl<T: DeserializeOwned + Send + Sync + 'static> ExclusiveExtractor for Json<T> {
    /// What comes without a length is cut off by the server's own limit, with that 400.
    async fn from_request<Context: ServerContext>(
        context: &RequestContext<Context>,
        request: Request<Body>,
    ) -> Result<Self, HttpError> {
        if request.body().size_hint().lower() > MAX_BODY_BYTES as u64 {
            let status = ClientErrorStatusCode::PAYLOAD_TOO_LARGE;
            return Err(HttpError::for_client_error_with_status(None, status));
        }
        let body = TypedBody::<Message<T>>::from_request(context, request).await?;
        Ok(Self(body.into_inner().0))
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <TypedBody<Message<T>> as ExclusiveExtractor>::metadata(content_type)
    }
}
