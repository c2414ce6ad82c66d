//! A body with a limit. xitca-web's own extractor, which takes up to 1 MiB, has one for a body that does not say how long it is.

use contract::MAX_BODY_BYTES;
use xitca_web::{
    WebContext,
    body::BodyStream,
    error::Error,
    handler::{FromRequest, json::Json},
    http::{
        StatusCode,
        header::{CONTENT_LENGTH, HeaderName},
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
        // The extractor has read half of what it refuses.
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
