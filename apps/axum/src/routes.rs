//! The contract in Axum's own words.

use std::fmt::Display;

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Query},
    http::StatusCode,
    routing::{get, post},
};
use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, MAX_BODY_BYTES, Payload, Ram, TIMED};
use tokio::{task, time};

type Failure = (StatusCode, String);

pub fn router() -> Router {
    Router::new()
        .route("/", get(index))
        .route("/hello", get(hello))
        .route("/heavy", get(heavy))
        .route("/cpu", get(cpu))
        .route("/ram", get(ram))
        .route("/test/simple", post(simple))
        .route("/test/timed", post(timed))
        .merge(limited())
        // Its own answers to these two have no body.
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
}

/// Elsewhere Axum's own limit holds.
fn limited() -> Router {
    Router::new()
        .route("/test/bcrypt", post(bcrypt))
        .route("/test/bcrypt-inline", post(bcrypt_inline))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
}

async fn index() -> &'static str {
    contract::GREETING
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

async fn not_found() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "no such path")
}

async fn method_not_allowed() -> (StatusCode, &'static str) {
    (StatusCode::METHOD_NOT_ALLOWED, "not with this method")
}

fn failure(error: impl Display) -> Failure {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
