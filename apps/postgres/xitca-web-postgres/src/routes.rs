//! The contract in xitca-web's own words. Its documentation shows no template engine: the page is made by Askama, as by most.

use postgres_contract::{
    CountQuery, Deadpool, MAX_BODY_BYTES, NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more,
};
use xitca_web::{
    error::{Error, ErrorStatus},
    handler::{html::Html, json::Json, params::Params, query::Query, state::StateRef},
    http::StatusCode,
};

pub async fn index() -> &'static str {
    postgres_contract::GREETING
}

pub async fn db(StateRef(store): StateRef<'_, Deadpool>) -> Result<Json<World>, Error> {
    store.world().await.map(Json).map_err(failure)
}

pub async fn queries(
    StateRef(store): StateRef<'_, Deadpool>,
    Query(query): Query<CountQuery>,
) -> Result<Json<Vec<World>>, Error> {
    store.worlds(query.n).await.map(Json).map_err(failure)
}

pub async fn fortunes(StateRef(store): StateRef<'_, Deadpool>) -> Result<Html<String>, Error> {
    let fortunes = with_one_more(store.fortunes().await.map_err(failure)?);
    page(&fortunes).map(Html).map_err(failure)
}

pub async fn create_order(
    StateRef(store): StateRef<'_, Deadpool>,
    Json(order): Json<NewOrder, MAX_BODY_BYTES>,
) -> Result<Json<OrderId>, Error> {
    store.create_order(&order).await.map(Json).map_err(|error| match error {
        NotCreated::Conflict => StatusCode::CONFLICT.into(),
        NotCreated::Failed(error) => failure(error),
    })
}

pub async fn order(StateRef(store): StateRef<'_, Deadpool>, Params(id): Params<i32>) -> Result<Json<Order>, Error> {
    let found = store.order(id).await.map_err(failure)?;
    found.map(Json).ok_or_else(|| StatusCode::NOT_FOUND.into())
}

pub async fn updates(
    StateRef(store): StateRef<'_, Deadpool>,
    Query(query): Query<CountQuery>,
) -> Result<Json<Vec<World>>, Error> {
    store.update_worlds(query.n).await.map(Json).map_err(failure)
}

fn failure(_: impl std::error::Error) -> Error {
    ErrorStatus::internal().into()
}
