//! The contract in Salvo's own words. Its default catcher answers what is malformed, unknown or too large.

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, Payload, Ram, TIMED};
use salvo::{
    Request, Router, Service, Writer as _,
    extract::JsonBody,
    handler,
    http::{ParseError, StatusError},
    writing::Json,
};
use tokio::{task, time};

pub fn service() -> Service {
    let router = Router::new()
        .get(index)
        .push(Router::with_path("hello").get(hello))
        .push(Router::with_path("heavy").get(heavy))
        .push(Router::with_path("cpu").get(cpu))
        .push(Router::with_path("ram").get(ram))
        .push(
            Router::with_path("test")
                .push(Router::with_path("simple").post(simple))
                .push(Router::with_path("timed").post(timed))
                .push(Router::with_path("bcrypt").post(bcrypt))
                .push(Router::with_path("bcrypt-inline").post(bcrypt_inline)),
        );
    Service::new(router)
}

#[handler]
async fn index() -> &'static str {
    contract::GREETING
}

#[handler]
async fn hello() -> Json<Hello> {
    Json(Hello::new())
}

#[handler]
async fn heavy() -> Json<Vec<HeavyItem>> {
    Json(contract::heavy())
}

#[handler]
async fn cpu(request: &mut Request) -> Result<Json<Fibonacci>, ParseError> {
    let query: CpuQuery = request.parse_queries()?;
    Ok(Json(contract::fib(query.n)))
}

#[handler]
async fn ram() -> Json<Ram> {
    Json(contract::ram())
}

#[handler]
async fn simple(payload: JsonBody<Payload>) -> Json<Payload> {
    Json(contract::greet(&payload))
}

#[handler]
async fn timed(payload: JsonBody<Payload>) -> Json<Payload> {
    time::sleep(TIMED).await;
    Json(contract::greet(&payload))
}

#[handler]
async fn bcrypt(payload: JsonBody<Payload>) -> Result<Json<Payload>, StatusError> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(failure)?;
    hash.map(Json).map_err(failure)
}

#[handler]
async fn bcrypt_inline(payload: JsonBody<Payload>) -> Result<Json<Payload>, StatusError> {
    contract::bcrypt(&payload).map(Json).map_err(failure)
}

fn failure(error: impl std::error::Error + Send + Sync + 'static) -> StatusError {
    StatusError::internal_server_error().cause(error)
}
