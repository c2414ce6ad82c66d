//! The contract in rama's own words. Its own answers to what is malformed have a body.

use std::fmt::Display;

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, MAX_BODY_BYTES, Payload, Ram, TIMED};
use rama::http::{
    StatusCode,
    service::web::{
        Router,
        extract::{self, Query},
        response::Json,
    },
};
use rama_app::LimitedJson;
use tokio::{task, time};

type Failure = (StatusCode, String);

pub fn router() -> Router {
    Router::new()
        .with_get("/", index)
        .with_get("/hello", hello)
        .with_get("/heavy", heavy)
        .with_get("/cpu", cpu)
        .with_get("/ram", ram)
        .with_post("/test/simple", simple)
        .with_post("/test/timed", timed)
        .with_post("/test/bcrypt", bcrypt)
        .with_post("/test/bcrypt-inline", bcrypt_inline)
        // Also for a wrong method, which rama does not distinguish from an unknown path. Its own 404 has no body.
        .with_not_found(not_found)
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

async fn simple(extract::Json(payload): extract::Json<Payload>) -> Json<Payload> {
    Json(contract::greet(&payload))
}

async fn timed(extract::Json(payload): extract::Json<Payload>) -> Json<Payload> {
    time::sleep(TIMED).await;
    Json(contract::greet(&payload))
}

async fn bcrypt(LimitedJson(payload): LimitedJson<Payload, MAX_BODY_BYTES>) -> Result<Json<Payload>, Failure> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(failure)?;
    hash.map(Json).map_err(failure)
}

async fn bcrypt_inline(LimitedJson(payload): LimitedJson<Payload, MAX_BODY_BYTES>) -> Result<Json<Payload>, Failure> {
    contract::bcrypt(&payload).map(Json).map_err(failure)
}

async fn not_found() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "no such path")
}

fn failure(error: impl Display) -> Failure {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
