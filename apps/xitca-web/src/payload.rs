//! The body of a request.

use xitca_web::{
    WebContext,
    body::BodyStream,
    error::Error,
    handler::{FromRequest, json::Json},
    http::{StatusCode, header::CONTENT_LENGTH},
};

/// What xitca-web's own extractor reads. Its limit is for a body that does not say how long it is: it has read half of what it
/// refuses.
pub struct Payload<T, const MAX_BYTES: usize>(pub T);

impl<'a, 'r, C, B, T, const MAX_BYTES: usize> FromRequest<'a, WebContext<'r, C, B>> for Payload<T, MAX_BYTES>
where
    B: BodyStream + Default,
    Json<T, MAX_BYTES>: for<'b> FromRequest<'b, WebContext<'r, C, B>, Error = Error>,
{
    type Type<'b> = Self;
    type Error = Error;

    async fn from_request(ctx: &'a WebContext<'r, C, B>) -> Result<Self, Error> {
        let length = ctx.req().headers().get(CONTENT_LENGTH);
        let length: Option<usize> = length.and_then(|length| length.to_str().ok()?.parse().ok());
        if length.is_some_and(|length| length > MAX_BYTES) {
            return Err(StatusCode::PAYLOAD_TOO_LARGE.into());
        }
        let Json(value) = Json::<T, MAX_BYTES>::from_request(ctx).await?;
        Ok(Self(value))
    }
}
