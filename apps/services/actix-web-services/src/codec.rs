//! JSON by another library than the framework's own extractor: handlers that take the body as bytes and answer bytes.

use actix_web::{
    HttpMessage as _, HttpRequest, HttpResponse, Result,
    error::{ErrorBadRequest, ErrorInternalServerError, JsonPayloadError},
    http::{StatusCode, header::ContentType},
    web::{self, Bytes, BytesMut, PayloadConfig},
};
use serde::{Serialize, de::DeserializeOwned};
use services_codecs::Codec;
use services_contract::{Document, MAX_BODY_BYTES, Order};

/// The routes where JSON is read, by `C`.
pub fn json_by<C: Codec>(config: &mut web::ServiceConfig) {
    config
        // Beyond its limit, bytes are answered with 413.
        .app_data(PayloadConfig::new(MAX_BODY_BYTES))
        .route("/validate", web::post().to(validate::<C>))
        .route("/json", web::post().to(document::<C>));
}

async fn validate<C: Codec>(request: HttpRequest, body: Bytes) -> Result<HttpResponse> {
    match read::<C, Order>(&request, body)?.total() {
        Ok(total) => write::<C>(StatusCode::OK, &total),
        Err(wrong) => write::<C>(StatusCode::UNPROCESSABLE_ENTITY, &wrong),
    }
}

async fn document<C: Codec>(request: HttpRequest, body: Bytes) -> Result<HttpResponse> {
    write::<C>(StatusCode::OK, &read::<C, Document>(&request, body)?)
}

fn read<C: Codec, T: DeserializeOwned>(request: &HttpRequest, body: Bytes) -> Result<T> {
    // The check that `Json` makes, so that this costs the same.
    let content_type = request.mime_type()?;
    if !content_type.is_some_and(|mime| mime.subtype() == mime::JSON || mime.suffix() == Some(mime::JSON)) {
        return Err(JsonPayloadError::ContentType.into());
    }
    C::read::<T, BytesMut>(body).map_err(ErrorBadRequest)
}

fn write<C: Codec>(status: StatusCode, value: &impl Serialize) -> Result<HttpResponse> {
    let text = C::write(value).map_err(ErrorInternalServerError)?;
    Ok(HttpResponse::build(status).content_type(ContentType::json()).body(text))
}
