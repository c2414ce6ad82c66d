//! JSON by another library than the framework's own extractor: an extractor that takes the body as bytes, and an answer of bytes.

use std::marker::PhantomData;

use axum::{
    Router,
    body::Bytes,
    extract::{FromRequest, Request},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::post,
};
use mime::Mime;
use serde::{Serialize, de::DeserializeOwned};
use services_codecs::Codec;
use services_contract::{Document, Order};

/// The routes where JSON is read, by `C`.
pub fn json_by<C: Codec>() -> Router {
    Router::new()
        .route("/validate", post(validate::<C>))
        .route("/json", post(document::<C>))
}

async fn validate<C: Codec>(By(order, codec): By<Order, C>) -> Response {
    match order.total() {
        Ok(total) => By(total, codec).into_response(),
        Err(wrong) => (StatusCode::UNPROCESSABLE_ENTITY, By(wrong, codec)).into_response(),
    }
}

async fn document<C: Codec>(document: By<Document, C>) -> By<Document, C> {
    document
}

/// What `Json` is, by `C`.
struct By<T, C>(T, PhantomData<fn() -> C>);

impl<T: DeserializeOwned, C: Codec, S: Send + Sync> FromRequest<S> for By<T, C> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        if !says_json(request.headers()) {
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "want application/json").into_response());
        }
        // With the limit of the router, beyond which it answers with 413.
        let body = Bytes::from_request(request, state).await;
        let body = body.map_err(IntoResponse::into_response)?;
        match C::read::<T, Vec<u8>>(body) {
            Ok(value) => Ok(Self(value, PhantomData)),
            Err(error) => Err((StatusCode::BAD_REQUEST, error.to_string()).into_response()),
        }
    }
}

impl<T: Serialize, C: Codec> IntoResponse for By<T, C> {
    fn into_response(self) -> Response {
        match C::write(&self.0) {
            Ok(text) => ([(CONTENT_TYPE, "application/json")], text).into_response(),
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        }
    }
}

/// The check that `Json` makes, so that this costs the same.
fn says_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.and_then(|value| value.parse::<Mime>().ok());
    content_type.is_some_and(|mime| {
        let suffix = mime.suffix().is_some_and(|suffix| suffix == mime::JSON);
        mime.type_() == mime::APPLICATION && (mime.subtype() == mime::JSON || suffix)
    })
}
