//! The contract as an API that describes itself. Its own answers to what is malformed, unknown or too large have a body.

#![expect(clippy::unused_async, reason = "an operation of `poem-openapi` is async")]

use contract::{Index, MAX_BODY_BYTES, TIMED};
use poem::{
    Endpoint, EndpointExt, Result,
    error::{BadRequest, InternalServerError},
    middleware::SizeLimit,
};
use poem_openapi::{
    OpenApi,
    param::Query,
    payload::{Json, PlainText},
};
use tokio::{task, time};

use crate::messages::{Fibonacci, HeavyItem, Hello, Payload, Ram};

pub struct Api;

#[OpenApi]
impl Api {
    #[oai(path = "/", method = "get")]
    async fn index(&self) -> PlainText<&'static str> {
        PlainText(contract::GREETING)
    }

    #[oai(path = "/hello", method = "get")]
    async fn hello(&self) -> Json<Hello> {
        Json(contract::Hello::new().into())
    }

    #[oai(path = "/heavy", method = "get")]
    async fn heavy(&self) -> Json<Vec<HeavyItem>> {
        Json(contract::heavy().into_iter().map(HeavyItem::from).collect())
    }

    #[oai(path = "/cpu", method = "get")]
    async fn cpu(&self, n: Query<Option<u32>>) -> Result<Json<Fibonacci>> {
        let n = n.0.map_or_else(|| Ok(Index::default()), Index::try_from);
        Ok(Json(contract::fib(n.map_err(BadRequest)?).into()))
    }

    #[oai(path = "/ram", method = "get")]
    async fn ram(&self) -> Json<Ram> {
        Json(contract::ram().into())
    }

    #[oai(path = "/test/simple", method = "post")]
    async fn simple(&self, Json(payload): Json<Payload>) -> Json<Payload> {
        Json(contract::greet(&payload.into()).into())
    }

    #[oai(path = "/test/timed", method = "post")]
    async fn timed(&self, Json(payload): Json<Payload>) -> Json<Payload> {
        time::sleep(TIMED).await;
        Json(contract::greet(&payload.into()).into())
    }

    #[oai(path = "/test/bcrypt", method = "post", transform = "limited")]
    async fn bcrypt(&self, Json(payload): Json<Payload>) -> Result<Json<Payload>> {
        let hash = task::spawn_blocking(move || contract::bcrypt(&payload.into()))
            .await
            .map_err(InternalServerError)?;
        hash.map(|hash| Json(hash.into())).map_err(InternalServerError)
    }

    #[oai(path = "/test/bcrypt-inline", method = "post", transform = "limited")]
    async fn bcrypt_inline(&self, Json(payload): Json<Payload>) -> Result<Json<Payload>> {
        contract::bcrypt(&payload.into())
            .map(|hash| Json(hash.into()))
            .map_err(InternalServerError)
    }
}

/// By itself, `Json` reads a body of any size. The middleware goes by `Content-Length`, and answers 411 where there is none.
fn limited(endpoint: impl Endpoint) -> impl Endpoint {
    endpoint.with(SizeLimit::new(MAX_BODY_BYTES))
}
