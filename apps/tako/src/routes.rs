//! The contract in Tako's own words. Its own answers to what is malformed or too large have a body.

use contract::{CpuQuery, Fibonacci, HeavyItem, Hello, MAX_BODY_BYTES, Payload, Ram, TIMED};
use tako::{
    Method, NOT_FOUND, StatusCode,
    extractors::{json::Json, query::Query},
    header::{ALLOW, HeaderValue},
    responder::Responder as _,
    router::Router,
    types::Response,
};
use tokio::{task, time};

const FOR_GET: [&str; 5] = ["/", "/hello", "/heavy", "/cpu", "/ram"];
const FOR_POST: [&str; 4] = ["/test/simple", "/test/timed", "/test/bcrypt", "/test/bcrypt-inline"];

pub fn router() -> Router {
    let mut router = Router::new();
    router.get("/", index);
    router.get("/hello", hello);
    router.get("/heavy", heavy);
    router.get("/cpu", cpu);
    router.get("/ram", ram);
    router.post("/test/simple", simple);
    router.post("/test/timed", timed);
    router.post("/test/bcrypt", bcrypt);
    router.post("/test/bcrypt-inline", bcrypt_inline);
    // Applies only where a body is read.
    router.body_limit(MAX_BODY_BYTES);
    router.fallback(|_| async { NOT_FOUND });
    refuse_wrong_methods(&mut router);
    router
}

/// Tako's own 405 has no body. `client_error_handler` would add one, and would be in the way of every request: with a handler
/// of errors, the router does for each what it otherwise does only where there is middleware.
fn refuse_wrong_methods(router: &mut Router) {
    for method in [Method::PUT, Method::PATCH, Method::DELETE] {
        for path in FOR_GET {
            router.route(method.clone(), path, get_only);
        }
        for path in FOR_POST {
            router.route(method.clone(), path, post_only);
        }
    }
    for path in FOR_GET {
        router.post(path, get_only);
    }
    for path in FOR_POST {
        router.get(path, post_only);
    }
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

async fn bcrypt(Json(payload): Json<Payload>) -> Result<Json<Payload>, (StatusCode, String)> {
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload))
        .await
        .map_err(failure)?;
    hash.map(Json).map_err(failure)
}

async fn bcrypt_inline(Json(payload): Json<Payload>) -> Result<Json<Payload>, (StatusCode, String)> {
    contract::bcrypt(&payload).map(Json).map_err(failure)
}

fn failure(error: impl std::error::Error) -> (StatusCode, String) {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

async fn get_only() -> Response {
    not_allowed("GET, HEAD")
}

async fn post_only() -> Response {
    not_allowed("POST")
}

fn not_allowed(allow: &'static str) -> Response {
    let mut response = (StatusCode::METHOD_NOT_ALLOWED, "not with this method").into_response();
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    response
}
