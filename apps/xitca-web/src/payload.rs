//! The body of a request. xitca-web's own extractor wants a `Content-Type`, but takes any.

use contract::MAX_BODY_BYTES;
use xitca_web::{
    WebContext,
    body::BodyStream,
    error::Error,
    handler::{FromRequest, json::Json},
    http::{
        StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName},
    },
};

pub struct Payload(pub contract::Payload);

impl<'a, 'r, C, B> FromRequest<'a, WebContext<'r, C, B>> for Payload
where
    B: BodyStream + Default,
{
    type Type<'b> = Self;
    type Error = Error;

    async fn from_request(ctx: &'a WebContext<'r, C, B>) -> Result<Self, Error> {
        let content_type = header(ctx, &CONTENT_TYPE).unwrap_or_default();
        let essence = content_type.split(';').next().unwrap_or_default();
        if !essence.trim().eq_ignore_ascii_case("application/json") {
            return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE.into());
        }
        // The extractor's limit is for a body that does not say how long it is: it has read half of what it refuses.
        let length: Option<usize> = header(ctx, &CONTENT_LENGTH).and_then(|length| length.parse().ok());
        if length.is_some_and(|length| length > MAX_BODY_BYTES) {
            return Err(StatusCode::PAYLOAD_TOO_LARGE.into());
        }
        let Json(payload) = Json::<contract::Payload, MAX_BODY_BYTES>::from_request(ctx).await?;
        Ok(Self(payload))
    }
}

fn header<'a, C, B>(ctx: &'a WebContext<'_, C, B>, name: &HeaderName) -> Option<&'a str> {
    ctx.req().headers().get(name)?.to_str().ok()
}
