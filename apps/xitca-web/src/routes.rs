//! The contract in xitca-web's own words.

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, MAX_BODY_BYTES, Ram, TIMED};
use tokio::time;
use xitca_web::{
    error::{Error, ErrorStatus},
    handler::{json::Json, query::Query},
};

use crate::Payload;

/// What is hashed.
type Limited = Payload<contract::Payload, MAX_BODY_BYTES>;

pub async fn index() -> &'static str {
    contract::GREETING
}

pub async fn hello() -> Json<Hello> {
    Json(Hello::new())
}

pub async fn heavy() -> Json<Vec<HeavyItem>> {
    Json(contract::heavy())
}

pub async fn cpu(Query(query): Query<CpuQuery>) -> Json<Fibonacci> {
    Json(contract::fib(query.n))
}

pub async fn ram() -> Json<Ram> {
    Json(contract::ram())
}

pub async fn simple(Json(payload): Json<contract::Payload>) -> Json<contract::Payload> {
    Json(contract::greet(&payload))
}

pub async fn timed(Json(payload): Json<contract::Payload>) -> Json<contract::Payload> {
    time::sleep(TIMED).await;
    Json(contract::greet(&payload))
}

/// On the pool for what blocks: `handler_sync_service` has it run there.
pub fn bcrypt(Payload(payload): Limited) -> Result<Json<contract::Payload>, Error> {
    contract::bcrypt(&payload)
        .map(Json)
        .map_err(|_| ErrorStatus::internal().into())
}

pub async fn bcrypt_inline(payload: Limited) -> Result<Json<contract::Payload>, Error> {
    bcrypt(payload)
}
