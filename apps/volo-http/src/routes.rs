//! The contract in Volo-HTTP's own words.

use std::fmt::Display;

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, Payload, Ram, TIMED};
use tokio::{task, time};
use volo_http::{
    http::{
        StatusCode,
        header::{CONTENT_TYPE, HeaderName},
    },
    server::{
        extract::{Json, Query},
        middleware,
        route::{Router, get, post},
    },
};

use crate::body;

type Failure = (StatusCode, String);

pub fn router() -> Router {
    Router::new()
        .route("/", get(index))
        .route("/hello", get(hello))
        .route("/heavy", get(heavy))
        .route("/cpu", get(cpu))
        .route("/ram", get(ram))
        .merge(with_bodies())
}

/// The limit stands where a body is read, so that the others do not pay for it.
fn with_bodies() -> Router {
    Router::new()
        .route("/test/simple", post(simple))
        .route("/test/timed", post(timed))
        .route("/test/bcrypt", post(bcrypt))
        .route("/test/bcrypt-inline", post(bcrypt_inline))
        .layer(middleware::from_fn(body::limit))
}

/// Volo-HTTP gives a text no type.
async fn index() -> ((HeaderName, &'static str), &'static str) {
    ((CONTENT_TYPE, "text/plain; charset=utf-8"), contract::GREETING)
}

async fn hello() -> Json<Hello> {
    Json(Hello::new())
}

async fn heavy() -> Json<Vec<HeavyItem>> {
    Json(contract::heavy())
}

async fn cpu(Query(query): Query<CpuQuery>) -> Json<Fibonacci> {
    Json(contract::fib(query.n))
}

async fn ram() -> Json<Ram> {
    Json(contract::ram())
}

async fn simple(Json(payload): Json<Payload>) -> Json<Payload> {
    Json(contract::greet(&payload))
}

async fn timed(Json(payload): Json<Payload>) -> Json<Payload> {
    time::sleep(TIMED).await;
    Json(contract::greet(&payload))
}

async fn bcrypt(Json(payload): Json<Payload>) -> Result<Json<Payload>, Failure> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(failure)?;
    hash.map(Json).map_err(failure)
}

async fn bcrypt_inline(Json(payload): Json<Payload>) -> Result<Json<Payload>, Failure> {
    contract::bcrypt(&payload).map(Json).map_err(failure)
}

fn failure(error: impl Display) -> Failure {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
