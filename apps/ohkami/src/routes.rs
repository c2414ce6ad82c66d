//! The contract in Ohkami's own words.

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, MAX_BODY_BYTES, Payload, Ram, TIMED};
use ohkami::{
    Ohkami, Response, Route as _,
    claw::{Json, Query},
};
use ohkami_app::{Limit, NotFound};
use tokio::{task, time};

pub fn app() -> Ohkami {
    Ohkami::new((
        NotFound,
        "/".GET(index),
        "/hello".GET(hello),
        "/heavy".GET(heavy),
        "/cpu".GET(cpu),
        "/ram".GET(ram),
        "/test".By(with_bodies()),
    ))
}

fn with_bodies() -> Ohkami {
    Ohkami::new((
        "/simple".POST(simple),
        "/timed".POST(timed),
        "/bcrypt".POST((Limit::<MAX_BODY_BYTES>, bcrypt)),
        "/bcrypt-inline".POST((Limit::<MAX_BODY_BYTES>, bcrypt_inline)),
    ))
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

async fn bcrypt(Json(payload): Json<Payload>) -> Result<Json<Payload>, Response> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(failure)?;
    hash.map(Json).map_err(failure)
}

async fn bcrypt_inline(Json(payload): Json<Payload>) -> Result<Json<Payload>, Response> {
    contract::bcrypt(&payload).map(Json).map_err(failure)
}

fn failure(error: impl std::error::Error) -> Response {
    Response::InternalServerError().with_text(error.to_string())
}
