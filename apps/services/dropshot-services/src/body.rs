//! The body of a form, by a custom extractor: Dropshot's own implement the same trait.

use async_trait::async_trait;
use dropshot::{
    ApiEndpointBodyContentType, Body, ExclusiveExtractor, ExtractorMetadata, HttpError, MultipartBody, RequestContext,
    ServerContext,
};
use dropshot_app::refuse_above;
use hyper::Request;
use services_contract::MAX_UPLOAD_BYTES;

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
