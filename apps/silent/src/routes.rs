//! The contract in Silent's own words. Its own answers to what is malformed or unknown have a body.

use contract::{CpuQuery, Hello, MAX_BODY_BYTES, Payload, TIMED};
use silent::{
    BoxError, Response, Result, SilentError, StatusCode,
    extractor::Query,
    prelude::{Request, Route},
};
use silent_app::Json;
use tokio::{task, time};

pub fn routes() -> Route {
    Route::new_root()
        .get(index)
        .append(Route::new("hello").get(hello))
        .append(Route::new("heavy").get(heavy))
        .append(Route::new("cpu").get(cpu))
        .append(Route::new("ram").get(ram))
        .append(
            Route::new("test")
                .append(Route::new("simple").post(simple))
                .append(Route::new("timed").post(timed))
                .append(Route::new("bcrypt").post(bcrypt))
                .append(Route::new("bcrypt-inline").post(bcrypt_inline)),
        )
}

/// A `&str` by itself would be answered as JSON.
async fn index(_: Request) -> Result<Response> {
    Ok(Response::text(contract::GREETING))
}

async fn hello(_: Request) -> Result<Response> {
    Ok(Response::json(&Hello::new()))
}

async fn heavy(_: Request) -> Result<Response> {
    Ok(Response::json(&contract::heavy()))
}

/// By itself, a query that is wrong is answered with 422.
async fn cpu(query: std::result::Result<Query<CpuQuery>, Response>) -> Result<Response> {
    Ok(match query {
        Ok(Query(query)) => Response::json(&contract::fib(query.n)),
        Err(refusal) => refusal.with_status(StatusCode::BAD_REQUEST),
    })
}

async fn ram(_: Request) -> Result<Response> {
    Ok(Response::json(&contract::ram()))
}

async fn simple(Json(payload): Json<Payload, MAX_BODY_BYTES>) -> Result<Response> {
    Ok(Response::json(&contract::greet(&payload)))
}

async fn timed(Json(payload): Json<Payload, MAX_BODY_BYTES>) -> Result<Response> {
    time::sleep(TIMED).await;
    Ok(Response::json(&contract::greet(&payload)))
}

async fn bcrypt(Json(payload): Json<Payload, MAX_BODY_BYTES>) -> Result<Response> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(failure)?;
    hash.map(|hash| Response::json(&hash)).map_err(failure)
}

async fn bcrypt_inline(Json(payload): Json<Payload, MAX_BODY_BYTES>) -> Result<Response> {
    contract::bcrypt(&payload)
        .map(|hash| Response::json(&hash))
        .map_err(failure)
}

fn failure(error: impl Into<BoxError>) -> SilentError {
    error.into().into()
}
