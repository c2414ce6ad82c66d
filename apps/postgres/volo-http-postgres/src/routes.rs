//! The contract in Volo-HTTP's own words. Its documentation shows no template engine: the page is made by Askama, as by most.

use std::fmt::Display;

use postgres_contract::{
    CountQuery, Deadpool, NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more,
};
use volo_http::{
    http::{
        StatusCode,
        header::{CONTENT_TYPE, HeaderName},
    },
    server::{
        extract::{Json, Query},
        param::PathParams,
        route::{Router, get, post},
    },
    utils::Extension,
};

type Failure = (StatusCode, String);
/// Volo-HTTP gives a text no type.
type Typed<T> = ((HeaderName, &'static str), T);

pub fn router(store: Deadpool) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/db", get(db))
        .route("/queries", get(queries))
        .route("/fortunes", get(fortunes))
        .route("/orders", post(create_order))
        .route("/orders/{id}", get(order))
        .route("/updates", post(updates))
        .layer(Extension(store))
}

async fn index() -> Typed<&'static str> {
    ((CONTENT_TYPE, "text/plain; charset=utf-8"), postgres_contract::GREETING)
}

async fn db(Extension(store): Extension<Deadpool>) -> Result<Json<World>, Failure> {
    store.world().await.map(Json).map_err(failure)
}

async fn queries(
    Extension(store): Extension<Deadpool>,
    Query(query): Query<CountQuery>,
) -> Result<Json<Vec<World>>, Failure> {
    store.worlds(query.n).await.map(Json).map_err(failure)
}

async fn fortunes(Extension(store): Extension<Deadpool>) -> Result<Typed<String>, Failure> {
    let fortunes = with_one_more(store.fortunes().await.map_err(failure)?);
    let page = page(&fortunes).map_err(failure)?;
    Ok(((CONTENT_TYPE, "text/html; charset=utf-8"), page))
}

async fn create_order(
    Extension(store): Extension<Deadpool>,
    Json(order): Json<NewOrder>,
) -> Result<Json<OrderId>, Failure> {
    store.create_order(&order).await.map(Json).map_err(|error| match error {
        NotCreated::Conflict => (StatusCode::CONFLICT, error.to_string()),
        NotCreated::Failed(error) => failure(error),
    })
}

async fn order(Extension(store): Extension<Deadpool>, PathParams(id): PathParams<i32>) -> Result<Json<Order>, Failure> {
    let found = store.order(id).await.map_err(failure)?;
    found
        .map(Json)
        .ok_or_else(|| (StatusCode::NOT_FOUND, "no such order".into()))
}

async fn updates(
    Extension(store): Extension<Deadpool>,
    Query(query): Query<CountQuery>,
) -> Result<Json<Vec<World>>, Failure> {
    store.update_worlds(query.n).await.map(Json).map_err(failure)
}

fn failure(error: impl Display) -> Failure {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
