//! The contract in Dropshot's own words. Its own answers to what is malformed or unknown have a body.

use std::error::Error;

use contract::{Hello, TIMED};
use dropshot::{
    ApiDescription, ApiDescriptionRegisterError, Body, HttpError, HttpResponseOk, Query, RequestContext, endpoint,
};
use http::{Response, StatusCode, header::CONTENT_TYPE};
use tokio::{task, time};

use crate::{
    body::Json,
    messages::{Computed, Filled, Greeting, Greetings, Number, Text},
};

type Answer<T> = Result<HttpResponseOk<T>, HttpError>;

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
async fn hello(_: RequestContext<()>) -> Answer<Greeting> {
    Ok(HttpResponseOk(Greeting(Hello::new())))
}

#[endpoint { method = GET, path = "/heavy" }]
async fn heavy(_: RequestContext<()>) -> Answer<Greetings> {
    Ok(HttpResponseOk(Greetings(contract::heavy())))
}

#[endpoint { method = GET, path = "/cpu" }]
async fn cpu(_: RequestContext<()>, query: Query<Number>) -> Answer<Computed> {
    let Number(query) = query.into_inner();
    Ok(HttpResponseOk(Computed(contract::fib(query.n))))
}

#[endpoint { method = GET, path = "/ram" }]
async fn ram(_: RequestContext<()>) -> Answer<Filled> {
    Ok(HttpResponseOk(Filled(contract::ram())))
}

#[endpoint { method = POST, path = "/test/simple" }]
async fn simple(_: RequestContext<()>, Json(Text(payload)): Json<Text>) -> Answer<Text> {
    Ok(HttpResponseOk(Text(contract::greet(&payload))))
}

#[endpoint { method = POST, path = "/test/timed" }]
async fn timed(_: RequestContext<()>, Json(Text(payload)): Json<Text>) -> Answer<Text> {
    time::sleep(TIMED).await;
    Ok(HttpResponseOk(Text(contract::greet(&payload))))
}

#[endpoint { method = POST, path = "/test/bcrypt" }]
async fn bcrypt(_: RequestContext<()>, Json(Text(payload)): Json<Text>) -> Answer<Text> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(failure)?;
    hash.map(|hash| HttpResponseOk(Text(hash))).map_err(failure)
}

#[endpoint { method = POST, path = "/test/bcrypt-inline" }]
async fn bcrypt_inline(_: RequestContext<()>, Json(Text(payload)): Json<Text>) -> Answer<Text> {
    contract::bcrypt(&payload)
        .map(|hash| HttpResponseOk(Text(hash)))
        .map_err(failure)
}

fn failure(error: impl Error) -> HttpError {
    HttpError::for_internal_error(error.to_string())
}
