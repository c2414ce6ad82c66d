//! The contract in Tako's own words. Its documentation shows no template engine: the page is made by Askama, as by most.

use std::fmt::Display;

use postgres_contract::{
    CountQuery, Deadpool, MAX_BODY_BYTES, NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more,
};
use tako::{
    NOT_FOUND, StatusCode,
    extractors::{json::Json, path::Path, query::Query, state::State},
    header::{CONTENT_TYPE, HeaderValue},
    responder::Responder as _,
    router::Router,
    types::Response,
};

type Failure = (StatusCode, String);

pub fn router(store: Deadpool) -> Router {
    let mut router = Router::new();
    router.with_state(store);
    router.get("/", index);
    router.get("/db", db);
    router.get("/queries", queries);
    router.get("/fortunes", fortunes);
    router.post("/orders", create_order);
    router.get("/orders/{id}", order);
    router.post("/updates", updates);
    // Applies only where a body is read.
    router.body_limit(MAX_BODY_BYTES);
    router.fallback(|_| async { NOT_FOUND });
    router
}

async fn index() -> &'static str {
    postgres_contract::GREETING
}

async fn db(State(store): State<Deadpool>) -> Result<Json<World>, Failure> {
    store.world().await.map(Json).map_err(failure)
}

async fn queries(State(store): State<Deadpool>, Query(query): Query<CountQuery>) -> Result<Json<Vec<World>>, Failure> {
    store.worlds(query.n).await.map(Json).map_err(failure)
}

/// Tako has no answer of its own for a page: it is a text whose type is said.
async fn fortunes(State(store): State<Deadpool>) -> Result<Response, Failure> {
    let fortunes = with_one_more(store.fortunes().await.map_err(failure)?);
    let mut response = page(&fortunes).map_err(failure)?.into_response();
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, html);
    Ok(response)
}

async fn create_order(State(store): State<Deadpool>, Json(order): Json<NewOrder>) -> Result<Json<OrderId>, Failure> {
    store.create_order(&order).await.map(Json).map_err(|error| match error {
        NotCreated::Conflict => (StatusCode::CONFLICT, error.to_string()),
        NotCreated::Failed(error) => failure(error),
    })
}

async fn order(State(store): State<Deadpool>, Path(id): Path<i32>) -> Result<Json<Order>, Failure> {
    let found = store.order(id).await.map_err(failure)?;
    let missing = || (StatusCode::NOT_FOUND, "no such order".to_owned());
    found.map(Json).ok_or_else(missing)
}

async fn updates(State(store): State<Deadpool>, Query(query): Query<CountQuery>) -> Result<Json<Vec<World>>, Failure> {
    store.update_worlds(query.n).await.map(Json).map_err(failure)
}

fn failure(error: impl Display) -> Failure {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
