//! The contract in Gotham's own words.

use contract::{Hello, Index, MAX_BODY_BYTES, TIMED};
use gotham::{
    handler::HandlerError,
    http::StatusCode,
    prelude::*,
    router::{Router, builder::build_simple_router},
    state::State,
};
use gotham_app::{name_status, read_limited};
use serde::Deserialize;
use tokio::{task, time};

use crate::exchange::{Json, json, read_payload};

/// What Gotham, or a handler below, refuses a request with. Its own answers have no body.
const REFUSALS: [StatusCode; 4] = [
    StatusCode::BAD_REQUEST,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::PAYLOAD_TOO_LARGE,
];

pub fn router() -> Router {
    build_simple_router(|route| {
        route.get("/").to(index);
        route.get("/hello").to_async_borrowing(hello);
        route.get("/heavy").to_async_borrowing(heavy);
        route
            .get("/cpu")
            .with_query_string_extractor::<CpuQuery>()
            .to_async_borrowing(cpu);
        route.get("/ram").to_async_borrowing(ram);
        route.scope("/test", |route| {
            route.post("/simple").to_async_borrowing(simple);
            route.post("/timed").to_async_borrowing(timed);
            route.post("/bcrypt").to_async_borrowing(bcrypt);
            route.post("/bcrypt-inline").to_async_borrowing(bcrypt_inline);
        });
        for status in REFUSALS {
            route.add_response_extender(status, name_status);
        }
    })
}

/// `contract::CpuQuery`, with what Gotham wants of a type that it extracts.
#[derive(Deserialize, StateData, StaticResponseExtender)]
struct CpuQuery {
    #[serde(default)]
    n: Index,
}

fn index(state: State) -> (State, &'static str) {
    (state, contract::GREETING)
}

async fn hello(_: &mut State) -> Result<Json, HandlerError> {
    json(&Hello::new())
}

async fn heavy(_: &mut State) -> Result<Json, HandlerError> {
    json(&contract::heavy())
}

async fn cpu(state: &mut State) -> Result<Json, HandlerError> {
    let query = CpuQuery::take_from(state);
    json(&contract::fib(query.n))
}

async fn ram(_: &mut State) -> Result<Json, HandlerError> {
    json(&contract::ram())
}

async fn simple(state: &mut State) -> Result<Json, HandlerError> {
    let payload = read_payload(state).await?;
    json(&contract::greet(&payload))
}

async fn timed(state: &mut State) -> Result<Json, HandlerError> {
    let payload = read_payload(state).await?;
    time::sleep(TIMED).await;
    json(&contract::greet(&payload))
}

async fn bcrypt(state: &mut State) -> Result<Json, HandlerError> {
    let payload = read_limited(state, MAX_BODY_BYTES).await?;
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload)).await??;
    json(&hash)
}

async fn bcrypt_inline(state: &mut State) -> Result<Json, HandlerError> {
    let payload = read_limited(state, MAX_BODY_BYTES).await?;
    json(&contract::bcrypt(&payload)?)
}
