//! Bodies, by custom extractors: Dropshot's own implement the same trait.

use async_trait::async_trait;
use dropshot::{
    ApiEndpointBodyContentType, Body, ClientErrorStatusCode, ExclusiveExtractor, ExtractorMetadata, HttpError,
    MultipartBody, RequestContext, ServerContext, TypedBody,
};
use hyper::{Request, body::Body as _};
use serde::de::DeserializeOwned;
use services_contract::{MAX_BODY_BYTES, MAX_UPLOAD_BYTES};

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
        refuse_above(MAX_BODY_BYTES, &request)?;
        let body = TypedBody::<Message<T>>::from_request(context, request).await?;
        Ok(Self(body.into_inner().0))
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <TypedBody<Message<T>> as ExclusiveExtractor>::metadata(content_type)
    }
}

/// Dropshot's `MultipartBody` has no limit.
pub struct Form(pub MultipartBody);

#[async_trait]
impl ExclusiveExtractor for Form {
    async fn from_request<Context: ServerContext>(
        context: &RequestContext<Context>,
        request: Request<Body>,
    ) -> Result<Self, HttpError> {
        refuse_above(MAX_UPLOAD_BYTES, &request)?;
        MultipartBody::from_request(context, request).await.map(Self)
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <MultipartBody as ExclusiveExtractor>::metadata(content_type)
    }
}

fn refuse_above(most: usize, request: &Request<Body>) -> Result<(), HttpError> {
    if request.body().size_hint().lower() > most as u64 {
        let status = ClientErrorStatusCode::PAYLOAD_TOO_LARGE;
        return Err(HttpError::for_client_error_with_status(None, status));
    }
    Ok(())
}
