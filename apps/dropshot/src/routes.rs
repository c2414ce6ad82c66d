//! The contract in Dropshot's own words. Its own answers to what is malformed or unknown have a body.

use std::error::Error;

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, MAX_BODY_BYTES, Payload, Ram, TIMED};
use dropshot::{
    ApiDescription, ApiDescriptionRegisterError, Body, HttpError, HttpResponseOk, Query, RequestContext, endpoint,
};
use http::{Response, StatusCode, header::CONTENT_TYPE};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{task, time};

use crate::{Json, Message};

type Answer<T> = Result<HttpResponseOk<Message<T>>, HttpError>;

/// Parameters are registered one by one: the schema of a query must name each of them.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct Number(#[schemars(with = "NumberSchema")] CpuQuery);

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only a schema is derived from it")]
struct NumberSchema {
    n: Option<u32>,
}

pub fn api() -> Result<ApiDescription<()>, ApiDescriptionRegisterError> {
    let mut api = ApiDescription::new();
    api.register(index)?;
    api.register(hello)?;
    api.register(heavy)?;
    api.register(cpu)?;
    api.register(ram)?;
    api.register(simple)?;
    api.register(timed)?;
    api.register(bcrypt)?;
    api.register(bcrypt_inline)?;
    Ok(api)
}

/// What is not JSON is a response by hand, as in the example `index`.
#[endpoint { method = GET, path = "/" }]
async fn index(_: RequestContext<()>) -> Result<Response<Body>, HttpError> {
    Ok(Response::builder()
        .status(StatusCode::OK)
        .header(CONTENT_TYPE, "text/plain")
        .body(contract::GREETING.into())?)
}

#[endpoint { method = GET, path = "/hello" }]
async fn hello(_: RequestContext<()>) -> Answer<Hello> {
    Ok(HttpResponseOk(Message(Hello::new())))
}

#[endpoint { method = GET, path = "/heavy" }]
async fn heavy(_: RequestContext<()>) -> Answer<Vec<HeavyItem>> {
    Ok(HttpResponseOk(Message(contract::heavy())))
}

#[endpoint { method = GET, path = "/cpu" }]
async fn cpu(_: RequestContext<()>, query: Query<Number>) -> Answer<Fibonacci> {
    let Number(query) = query.into_inner();
    Ok(HttpResponseOk(Message(contract::fib(query.n))))
}

#[endpoint { method = GET, path = "/ram" }]
async fn ram(_: RequestContext<()>) -> Answer<Ram> {
    Ok(HttpResponseOk(Message(contract::ram())))
}

#[endpoint { method = POST, path = "/test/simple" }]
async fn simple(_: RequestContext<()>, Json(payload): Json<Payload, MAX_BODY_BYTES>) -> Answer<Payload> {
    Ok(HttpResponseOk(Message(contract::greet(&payload))))
}

#[endpoint { method = POST, path = "/test/timed" }]
async fn timed(_: RequestContext<()>, Json(payload): Json<Payload, MAX_BODY_BYTES>) -> Answer<Payload> {
    time::sleep(TIMED).await;
    Ok(HttpResponseOk(Message(contract::greet(&payload))))
}

#[endpoint { method = POST, path = "/test/bcrypt" }]
async fn bcrypt(_: RequestContext<()>, Json(payload): Json<Payload, MAX_BODY_BYTES>) -> Answer<Payload> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(failure)?;
    hash.map(|hash| HttpResponseOk(Message(hash))).map_err(failure)
}

#[endpoint { method = POST, path = "/test/bcrypt-inline" }]
async fn bcrypt_inline(_: RequestContext<()>, Json(payload): Json<Payload, MAX_BODY_BYTES>) -> Answer<Payload> {
    contract::bcrypt(&payload)
        .map(|hash| HttpResponseOk(Message(hash)))
        .map_err(failure)
}

fn failure(error: impl Error) -> HttpError {
    HttpError::for_internal_error(error.to_string())
}
