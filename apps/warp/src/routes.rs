//! The contract in warp's own words. Its own answers to what is malformed or too large have a body.

use contract::{CpuQuery, Hello, MAX_BODY_BYTES, Payload, TIMED};
use tokio::{task, time};
use warp::{
    Filter, Rejection, Reply,
    http::StatusCode,
    path,
    reject::{self, Reject},
    reply::{self, Json},
};

/// The method comes after the path: a method that does not match would outweigh a path that does not, and unknown paths
/// would be answered with 405.
pub fn routes() -> impl Filter<Extract = (impl Reply,), Error = Rejection> + Clone + Send + Sync + 'static {
    let index = path::end().and(warp::get()).map(|| contract::GREETING);
    let hello = path!("hello").and(warp::get()).map(|| reply::json(&Hello::new()));
    let heavy = path!("heavy").and(warp::get()).map(|| reply::json(&contract::heavy()));
    let cpu = path!("cpu")
        .and(warp::get())
        .and(warp::query())
        .map(|query: CpuQuery| reply::json(&contract::fib(query.n)));
    let ram = path!("ram").and(warp::get()).map(|| reply::json(&contract::ram()));
    let simple = path!("test" / "simple")
        .and(payload())
        .map(|payload| reply::json(&contract::greet(&payload)));
    let timed = path!("test" / "timed").and(payload()).then(timed);
    let bcrypt = path!("test" / "bcrypt").and(limited_payload()).and_then(bcrypt);
    let bcrypt_inline = path!("test" / "bcrypt-inline")
        .and(limited_payload())
        .and_then(async |payload| bcrypt_inline(&payload));

    index
        .or(hello)
        .or(heavy)
        .or(cpu)
        .or(ram)
        .or(simple)
        .or(timed)
        .or(bcrypt)
        .or(bcrypt_inline)
        .recover(not_found)
}

/// A body of any size.
fn payload() -> impl Filter<Extract = (Payload,), Error = Rejection> + Copy {
    warp::post().and(warp::body::json())
}

/// The limit goes by `Content-Length`, and answers 411 where there is none.
fn limited_payload() -> impl Filter<Extract = (Payload,), Error = Rejection> + Copy {
    warp::post()
        .and(warp::body::content_length_limit(MAX_BODY_BYTES as u64))
        .and(warp::body::json())
}

async fn timed(payload: Payload) -> Json {
    time::sleep(TIMED).await;
    reply::json(&contract::greet(&payload))
}

async fn bcrypt(payload: Payload) -> Result<Json, Rejection> {
    task::spawn_blocking(move || bcrypt_inline(&payload))
        .await
        .map_err(|_| reject::custom(Failure))?
}

fn bcrypt_inline(payload: &Payload) -> Result<Json, Rejection> {
    let hash = contract::bcrypt(payload).map_err(|_| reject::custom(Failure))?;
    Ok(reply::json(&hash))
}

/// A hash that could not be made; warp answers with 500.
#[derive(Debug)]
struct Failure;

impl Reject for Failure {}

/// Its own answer to an unknown path has no body.
async fn not_found(rejection: Rejection) -> Result<impl Reply, Rejection> {
    if rejection.is_not_found() {
        Ok(reply::with_status("no such path", StatusCode::NOT_FOUND))
    } else {
        Err(rejection)
    }
}
