//! The contract in Loco's own words.

use contract::{CpuQuery, Hello, Payload, TIMED};
use loco_rs::prelude::*;
use tokio::{task, time};

pub fn routes() -> Routes {
    Routes::new()
        .add("/", get(index))
        .add("/hello", get(hello))
        .add("/heavy", get(heavy))
        .add("/cpu", get(cpu))
        .add("/ram", get(ram))
        .add("/test/simple", post(simple))
        .add("/test/timed", post(timed))
        .add("/test/bcrypt", post(bcrypt))
        .add("/test/bcrypt-inline", post(bcrypt_inline))
}

async fn index() -> Result<Response> {
    format::text(contract::GREETING)
}

async fn hello() -> Result<Response> {
    format::json(Hello::new())
}

async fn heavy() -> Result<Response> {
    format::json(contract::heavy())
}

async fn cpu(Query(query): Query<CpuQuery>) -> Result<Response> {
    format::json(contract::fib(query.n))
}

async fn ram() -> Result<Response> {
    format::json(contract::ram())
}

async fn simple(Json(payload): Json<Payload>) -> Result<Response> {
    format::json(contract::greet(&payload))
}

async fn timed(Json(payload): Json<Payload>) -> Result<Response> {
    time::sleep(TIMED).await;
    format::json(contract::greet(&payload))
}

async fn bcrypt(Json(payload): Json<Payload>) -> Result<Response> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload)).await;
    format::json(hash.map_err(Error::msg)?.map_err(Error::msg)?)
}

async fn bcrypt_inline(Json(payload): Json<Payload>) -> Result<Response> {
    format::json(contract::bcrypt(&payload).map_err(Error::msg)?)
}
