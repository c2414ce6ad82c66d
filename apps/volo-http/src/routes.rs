//! The contract in Volo-HTTP's own words.

use std::fmt::Display;

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, MAX_BODY_BYTES, Payload, Ram, TIMED};
use tokio::{task, time};
use volo_http::{
    error::server::ExtractBodyError,
    http::{
        StatusCode,
        header::{CONTENT_TYPE, HeaderName},
    },
    server::{
        IntoResponse as _,
        extract::{FromContext, Json, Query},
        middleware,
        route::{MethodRouter, Router, get, post},
    },
};
use volo_http_app::limit;

type Failure = (StatusCode, String);

/// What an extractor makes of a request: Volo-HTTP's own answer where it fails has no body.
type Body = Result<Json<Payload>, ExtractBodyError>;
type CpuQueryString = Result<Query<CpuQuery>, <Query<CpuQuery> as FromContext>::Rejection>;

pub fn router() -> Router {
    Router::new()
        .route("/", or_405(get(index)))
        .route("/hello", or_405(get(hello)))
        .route("/heavy", or_405(get(heavy)))
        .route("/cpu", or_405(get(cpu)))
        .route("/ram", or_405(get(ram)))
        .route("/test/simple", or_405(post(simple)))
        .route("/test/timed", or_405(post(timed)))
        .merge(limited())
        .fallback(not_found)
}

/// Elsewhere a body has any size.
fn limited() -> Router {
    Router::new()
        .route("/test/bcrypt", or_405(post(bcrypt)))
        .route("/test/bcrypt-inline", or_405(post(bcrypt_inline)))
        .layer(middleware::from_fn(limit::<MAX_BODY_BYTES>))
}

/// Volo-HTTP's own answer to a wrong method has no body.
fn or_405(methods: MethodRouter) -> MethodRouter {
    methods.fallback(method_not_allowed)
}

async fn method_not_allowed() -> (StatusCode, &'static str) {
    (StatusCode::METHOD_NOT_ALLOWED, "not with this method")
}

async fn not_found() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "no such path")
}

/// Volo-HTTP gives a text no type.
async fn index() -> ((HeaderName, &'static str), &'static str) {
    ((CONTENT_TYPE, "text/plain; charset=utf-8"), contract::GREETING)
}

async fn hello() -> Json<Hello> {
    Json(Hello::new())
}

async fn heavy() -> Json<Vec<HeavyItem>> {
    Json(contract::heavy())
}

async fn cpu(query: CpuQueryString) -> Result<Json<Fibonacci>, Failure> {
    let Query(query) = query.map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?;
    Ok(Json(contract::fib(query.n)))
}

async fn ram() -> Json<Ram> {
    Json(contract::ram())
}

async fn simple(body: Body) -> Result<Json<Payload>, Failure> {
    let Json(payload) = body.map_err(refusal)?;
    Ok(Json(contract::greet(&payload)))
}

async fn timed(body: Body) -> Result<Json<Payload>, Failure> {
    let Json(payload) = body.map_err(refusal)?;
    time::sleep(TIMED).await;
    Ok(Json(contract::greet(&payload)))
}

async fn bcrypt(body: Body) -> Result<Json<Payload>, Failure> {
    let Json(payload) = body.map_err(refusal)?;
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(failure)?;
    hash.map(Json).map_err(failure)
}

async fn bcrypt_inline(body: Body) -> Result<Json<Payload>, Failure> {
    let Json(payload) = body.map_err(refusal)?;
    contract::bcrypt(&payload).map(Json).map_err(failure)
}

fn refusal(error: ExtractBodyError) -> Failure {
    let text = error.to_string();
    (error.into_response().status(), text)
}

fn failure(error: impl Display) -> Failure {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
