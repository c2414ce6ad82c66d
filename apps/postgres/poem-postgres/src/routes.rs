//! The contract in Poem's own words.

use poem::{
    Endpoint, EndpointExt as _, Error, Result, Route, RouteMethod,
    error::{InternalServerError, NotFoundError},
    get, handler,
    http::StatusCode,
    middleware::SizeLimit,
    post,
    web::{Data, Html, Json, Path, Query},
};
use postgres_contract::{
    CountQuery, Deadpool, MAX_BODY_BYTES, NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more,
};

pub fn routes(store: Deadpool, of_fortunes: RouteMethod) -> impl Endpoint {
    Route::new()
        .at("/", get(index))
        .at("/db", get(db))
        .at("/queries", get(queries))
        .at("/fortunes", of_fortunes)
        .at("/orders", post(create_order.with(SizeLimit::new(MAX_BODY_BYTES))))
        .at("/orders/:id", get(order))
        .at("/updates", post(updates))
        .data(store)
}

#[handler]
fn index() -> &'static str {
    postgres_contract::GREETING
}

#[handler]
async fn db(Data(store): Data<&Deadpool>) -> Result<Json<World>> {
    store.world().await.map(Json).map_err(InternalServerError)
}

#[handler]
async fn queries(Data(store): Data<&Deadpool>, Query(query): Query<CountQuery>) -> Result<Json<Vec<World>>> {
    store.worlds(query.n).await.map(Json).map_err(InternalServerError)
}

/// The page by Askama.
#[handler]
pub async fn fortunes(Data(store): Data<&Deadpool>) -> Result<Html<String>> {
    let rows = with_one_more(store.fortunes().await.map_err(InternalServerError)?);
    page(&rows).map(Html).map_err(InternalServerError)
}

#[handler]
async fn create_order(Data(store): Data<&Deadpool>, Json(new): Json<NewOrder>) -> Result<Json<OrderId>> {
    let created = store.create_order(&new).await;
    created.map(Json).map_err(|error| match error {
        NotCreated::Conflict => Error::from_string(error.to_string(), StatusCode::CONFLICT),
        NotCreated::Failed(error) => InternalServerError(error),
    })
}

#[handler]
async fn order(Data(store): Data<&Deadpool>, Path(id): Path<i32>) -> Result<Json<Order>> {
    let found = store.order(id).await.map_err(InternalServerError)?;
    Ok(Json(found.ok_or(NotFoundError)?))
}

#[handler]
async fn updates(Data(store): Data<&Deadpool>, Query(query): Query<CountQuery>) -> Result<Json<Vec<World>>> {
    store
        .update_worlds(query.n)
        .await
        .map(Json)
        .map_err(InternalServerError)
}
