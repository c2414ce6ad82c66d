//! The contract in Viz's own words. Its own answers to what is malformed or too large have a body.

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, MAX_BODY_BYTES, Payload, Ram, TIMED};
use tokio::{task, time};
use viz::{
    Error, IntoResponse, Request, RequestExt, RequestLimitsExt, Result, Router, StatusCode,
    middleware::limits,
    types::{Json, Limits, Payload as _},
};

pub fn router() -> Router {
    Router::new()
        .get("/", index)
        .get("/hello", hello)
        .get("/heavy", heavy)
        .get("/cpu", cpu)
        .get("/ram", ram)
        .post("/test/simple", simple)
        .post("/test/timed", timed)
        .nest("/test", limited())
        // Its own answer to an unknown path has no body. A wrong method comes here as well.
        .any("/*", not_found)
}

/// Elsewhere, by `json`, a body has any size.
fn limited() -> Router {
    let max = Limits::default().set(Json::<()>::NAME, MAX_BODY_BYTES as u64);
    Router::new()
        .post("/bcrypt", bcrypt)
        .post("/bcrypt-inline", bcrypt_inline)
        .with(limits::Config::default().limits(max))
}

async fn index(_: Request) -> Result<&'static str> {
    Ok(contract::GREETING)
}

async fn hello(_: Request) -> Result<Json<Hello>> {
    Ok(Json(Hello::new()))
}

async fn heavy(_: Request) -> Result<Json<Vec<HeavyItem>>> {
    Ok(Json(contract::heavy()))
}

async fn cpu(request: Request) -> Result<Json<Fibonacci>> {
    let query: CpuQuery = request.query()?;
    Ok(Json(contract::fib(query.n)))
}

async fn ram(_: Request) -> Result<Json<Ram>> {
    Ok(Json(contract::ram()))
}

async fn simple(mut request: Request) -> Result<Json<Payload>> {
    let payload = request.json().await?;
    Ok(Json(contract::greet(&payload)))
}

async fn timed(mut request: Request) -> Result<Json<Payload>> {
    let payload = request.json().await?;
    time::sleep(TIMED).await;
    Ok(Json(contract::greet(&payload)))
}

async fn bcrypt(mut request: Request) -> Result<Json<Payload>> {
    let payload = request.json_with_limit().await?;
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(Error::boxed)?;
    hash.map(Json).map_err(Error::boxed)
}

async fn bcrypt_inline(mut request: Request) -> Result<Json<Payload>> {
    let payload = request.json_with_limit().await?;
    contract::bcrypt(&payload).map(Json).map_err(Error::boxed)
}

async fn not_found(_: Request) -> Result<impl IntoResponse> {
    Ok((StatusCode::NOT_FOUND, "no such path, or not with this method"))
}
