//! JSON by another library than the framework's own extractor: an extractor that takes the body as bytes, and an answer of bytes.

use std::marker::PhantomData;

use ntex::{
    http::{self, HttpMessage as _, Payload, StatusCode},
    util::{Bytes, BytesMut},
    web::{
        self, DefaultError, Error, FromRequest, HttpRequest, HttpResponse,
        error::{InternalError, JsonPayloadError, PayloadError},
        guard,
        types::PayloadConfig,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use services_codecs::Codec;
use services_contract::{Document, MAX_BODY_BYTES, Order};

/// The routes where JSON is read, by `C`.
pub fn json_by<C: Codec>(config: &mut web::ServiceConfig) {
    config
        .state(PayloadConfig::default().limit(MAX_BODY_BYTES))
        // What `#[web::post]` stands for, which takes no generic function.
        .service(web::resource("/validate").guard(guard::Post()).to(validate::<C>))
        .service(web::resource("/json").guard(guard::Post()).to(document::<C>));
}

async fn validate<C: Codec>(By(order, _): By<Order, C>) -> Result<HttpResponse, Error> {
    match order.total() {
        Ok(total) => write::<C>(StatusCode::OK, &total),
        Err(wrong) => write::<C>(StatusCode::UNPROCESSABLE_ENTITY, &wrong),
    }
}

async fn document<C: Codec>(By(document, _): By<Document, C>) -> Result<HttpResponse, Error> {
    write::<C>(StatusCode::OK, &document)
}

/// What `Json` is, by `C`.
struct By<T, C>(T, PhantomData<C>);

impl<T: DeserializeOwned, C: Codec> FromRequest<DefaultError> for By<T, C> {
    type Error = Error;

    async fn from_request(request: &HttpRequest, payload: &mut Payload) -> Result<Self, Error> {
        // The check that `Json` makes, so that this costs the same.
        let content_type = request.mime_type().ok().flatten();
        if !content_type.is_some_and(|mime| mime.subtype() == mime::JSON || mime.suffix() == Some(mime::JSON)) {
            return Err(JsonPayloadError::ContentType.into());
        }
        let body = <Bytes as FromRequest<DefaultError>>::from_request(request, payload).await;
        let body = body.map_err(|error| match error {
            // Its own answer is 400, to whatever is wrong with a body.
            PayloadError::Payload(http::error::PayloadError::Overflow) => JsonPayloadError::Overflow.into(),
            other => Error::from(other),
        })?;
        let value = C::read::<T, BytesMut>(body);
        let value = value.map_err(|error| InternalError::new(error, StatusCode::BAD_REQUEST))?;
        Ok(Self(value, PhantomData))
    }
}

fn write<C: Codec>(status: StatusCode, value: &impl Serialize) -> Result<HttpResponse, Error> {
    let text = C::write(value).map_err(|error| InternalError::new(error, StatusCode::INTERNAL_SERVER_ERROR))?;
    Ok(HttpResponse::build(status).content_type("application/json").body(text))
}
