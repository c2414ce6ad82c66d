//! The contract in Poem's own words. Its own answers to what is malformed, unknown or too large have a body.

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, MAX_BODY_BYTES, Payload, Ram, TIMED};
use poem::{
    Endpoint, EndpointExt, IntoEndpoint, Result, Route, RouteMethod,
    error::InternalServerError,
    get, handler,
    middleware::SizeLimit,
    post,
    web::{Json, Query},
};
use tokio::{task, time};

pub fn routes() -> Route {
    Route::new()
        .at("/", get(index))
        .at("/hello", get(hello))
        .at("/heavy", get(heavy))
        .at("/cpu", get(cpu))
        .at("/ram", get(ram))
        .at("/test/simple", post(simple))
        .at("/test/timed", post(timed))
        .at("/test/bcrypt", post_limited(bcrypt))
        .at("/test/bcrypt-inline", post_limited(bcrypt_inline))
}

/// By itself, `Json` reads a body of any size. The middleware goes by `Content-Length`, and answers 411 where there is
/// none.
fn post_limited(endpoint: impl IntoEndpoint<Endpoint: Endpoint + 'static>) -> RouteMethod {
    post(endpoint.with(SizeLimit::new(MAX_BODY_BYTES)))
}

#[handler]
fn index() -> &'static str {
    contract::GREETING
}

#[handler]
fn hello() -> Json<Hello> {
    Json(Hello::new())
}

#[handler]
fn heavy() -> Json<Vec<HeavyItem>> {
    Json(contract::heavy())
}

#[handler]
fn cpu(Query(query): Query<CpuQuery>) -> Json<Fibonacci> {
    Json(contract::fib(query.n))
}

#[handler]
fn ram() -> Json<Ram> {
    Json(contract::ram())
}

#[handler]
fn simple(Json(payload): Json<Payload>) -> Json<Payload> {
    Json(contract::greet(&payload))
}

#[handler]
async fn timed(Json(payload): Json<Payload>) -> Json<Payload> {
    time::sleep(TIMED).await;
    Json(contract::greet(&payload))
}

#[handler]
async fn bcrypt(Json(payload): Json<Payload>) -> Result<Json<Payload>> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(InternalServerError)?;
    hash.map(Json).map_err(InternalServerError)
}

#[handler]
fn bcrypt_inline(Json(payload): Json<Payload>) -> Result<Json<Payload>> {
    contract::bcrypt(&payload).map(Json).map_err(InternalServerError)
}
