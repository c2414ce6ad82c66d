//! The contract in rama's own words. Its documentation shows no template engine: the page is made by Askama, as by most.

use std::fmt::Display;

use postgres_contract::{
    CountQuery, Deadpool, MAX_BODY_BYTES, NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more,
};
use rama::http::{
    StatusCode,
    service::web::{
        Router,
        extract::{Path, Query, State},
        response::{Html, Json},
    },
};
use rama_app::LimitedJson;

type Failure = (StatusCode, String);

pub fn router(store: Deadpool) -> Router<Deadpool> {
    Router::new_with_state(store)
        .with_get("/", index)
        .with_get("/db", db)
        .with_get("/queries", queries)
        .with_get("/fortunes", fortunes)
        .with_post("/orders", create_order)
        .with_get("/orders/{id}", order)
        .with_post("/updates", updates)
        // Also for a wrong method, which rama does not distinguish from an unknown path. Its own 404 has no body.
        .with_not_found(not_found)
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

async fn fortunes(State(store): State<Deadpool>) -> Result<Html<String>, Failure> {
    let fortunes = with_one_more(store.fortunes().await.map_err(failure)?);
    page(&fortunes).map(Html).map_err(failure)
}

async fn create_order(
    State(store): State<Deadpool>,
    LimitedJson(order): LimitedJson<NewOrder, MAX_BODY_BYTES>,
) -> Result<Json<OrderId>, Failure> {
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

async fn not_found() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "no such path")
}

fn failure(error: impl Display) -> Failure {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
