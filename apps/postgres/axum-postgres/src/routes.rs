//! The contract in Axum's own words. Askama is what its example `templates` uses.

use std::fmt::Display;

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Path, Query, State},
    http::StatusCode,
    response::Html,
    routing::{get, post},
};
use postgres_contract::{
    CountQuery, MAX_BODY_BYTES, NewOrder, NotCreated, Order, OrderId, Store, World, page, with_one_more,
};

type Failure = (StatusCode, String);

pub fn router<S: Store>(store: S) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/db", get(db::<S>))
        .route("/queries", get(queries::<S>))
        .route("/fortunes", get(fortunes::<S>))
        .route(
            "/orders",
            post(create_order::<S>).layer(DefaultBodyLimit::max(MAX_BODY_BYTES)),
        )
        .route("/orders/{id}", get(order::<S>))
        .route("/updates", post(updates::<S>))
        // Its own answers to these two have no body.
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(store)
}

async fn index() -> &'static str {
    postgres_contract::GREETING
}

async fn db<S: Store>(State(store): State<S>) -> Result<Json<World>, Failure> {
    store.world().await.map(Json).map_err(failure)
}

async fn queries<S: Store>(
    State(store): State<S>,
    Query(query): Query<CountQuery>,
) -> Result<Json<Vec<World>>, Failure> {
    store.worlds(query.n).await.map(Json).map_err(failure)
}

async fn fortunes<S: Store>(State(store): State<S>) -> Result<Html<String>, Failure> {
    let fortunes = with_one_more(store.fortunes().await.map_err(failure)?);
    page(&fortunes).map(Html).map_err(failure)
}

async fn create_order<S: Store>(State(store): State<S>, Json(order): Json<NewOrder>) -> Result<Json<OrderId>, Failure> {
    store.create_order(&order).await.map(Json).map_err(|error| match error {
        NotCreated::Conflict => (StatusCode::CONFLICT, error.to_string()),
        NotCreated::Failed(error) => failure(error),
    })
}

async fn order<S: Store>(State(store): State<S>, Path(id): Path<i32>) -> Result<Json<Order>, Failure> {
    let found = store.order(id).await.map_err(failure)?;
    found
        .map(Json)
        .ok_or_else(|| (StatusCode::NOT_FOUND, "no such order".into()))
}

async fn updates<S: Store>(
    State(store): State<S>,
    Query(query): Query<CountQuery>,
) -> Result<Json<Vec<World>>, Failure> {
    store.update_worlds(query.n).await.map(Json).map_err(failure)
}

async fn not_found() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "no such path")
}

async fn method_not_allowed() -> (StatusCode, &'static str) {
    (StatusCode::METHOD_NOT_ALLOWED, "not with this method")
}

fn failure(error: impl Display) -> Failure {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
