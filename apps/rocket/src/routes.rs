//! The contract in Rocket's own words. Its default catchers answer what is malformed, unknown or too large.
#![expect(clippy::needless_pass_by_value, reason = "a handler of Rocket owns what it is given")]

use contract::{Fibonacci, HeavyItem, Hello, Index, Payload, Ram, TIMED};
use rocket::{
    Route, get, post,
    response::{Debug, status::BadRequest},
    routes,
    serde::json::Json,
    tokio::{task, time},
};

type Failure = Debug<Box<dyn std::error::Error + Send + Sync>>;

pub fn routes() -> Vec<Route> {
    routes![index, hello, heavy, cpu, ram, simple, timed, bcrypt, bcrypt_inline]
}

#[get("/")]
fn index() -> &'static str {
    contract::GREETING
}

#[get("/hello")]
fn hello() -> Json<Hello> {
    Json(Hello::new())
}

#[get("/heavy")]
fn heavy() -> Json<Vec<HeavyItem>> {
    Json(contract::heavy())
}

// Not `Option<Index>`: to Rocket a number that cannot be read is one that was not sent, and the default would answer.
#[get("/cpu?<n>")]
fn cpu(n: Option<&str>) -> Result<Json<Fibonacci>, BadRequest<String>> {
    let index = Index::from_query(n).map_err(|error| BadRequest(error.to_string()))?;
    Ok(Json(contract::fib(index)))
}

#[get("/ram")]
fn ram() -> Json<Ram> {
    Json(contract::ram())
}

#[post("/test/simple", format = "json", data = "<payload>")]
fn simple(payload: Json<Payload>) -> Json<Payload> {
    Json(contract::greet(&payload))
}

#[post("/test/timed", format = "json", data = "<payload>")]
async fn timed(payload: Json<Payload>) -> Json<Payload> {
    time::sleep(TIMED).await;
    Json(contract::greet(&payload))
}

#[post("/test/bcrypt", format = "json", data = "<payload>")]
async fn bcrypt(payload: Json<Payload>) -> Result<Json<Payload>, Failure> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(failure)?;
    hash.map(Json).map_err(failure)
}

#[post("/test/bcrypt-inline", format = "json", data = "<payload>")]
fn bcrypt_inline(payload: Json<Payload>) -> Result<Json<Payload>, Failure> {
    contract::bcrypt(&payload).map(Json).map_err(failure)
}

fn failure(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Debug(Box::new(error))
}
