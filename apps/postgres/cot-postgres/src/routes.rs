//! The contract in Cot's own words. Askama is what its guide to templates uses.

use cot::{
    Error, StatusCode,
    html::Html,
    json::Json,
    request::extractors::{Path, UrlQuery},
    router::{
        Route, Router,
        method::{get, post},
    },
};
use cot_app::LimitedJson;
use postgres_contract::{
    CountQuery, MAX_BODY_BYTES, NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more,
};

use crate::database::Database;

pub fn router() -> Router {
    Router::with_urls([
        Route::with_handler("/", get(index)),
        Route::with_handler("/db", get(db)),
        Route::with_handler("/queries", get(queries)),
        Route::with_handler("/fortunes", get(fortunes)),
        Route::with_handler("/orders", post(create_order)),
        Route::with_handler("/orders/{id}", get(order)),
        Route::with_handler("/updates", post(updates)),
    ])
}

async fn index() -> &'static str {
    postgres_contract::GREETING
}

async fn db(Database(store): Database) -> cot::Result<Json<World>> {
    store.world().await.map(Json).map_err(Error::internal)
}

async fn queries(Database(store): Database, UrlQuery(query): UrlQuery<CountQuery>) -> cot::Result<Json<Vec<World>>> {
    store.worlds(query.n).await.map(Json).map_err(Error::internal)
}

async fn fortunes(Database(store): Database) -> cot::Result<Html> {
    let fortunes = with_one_more(store.fortunes().await.map_err(Error::internal)?);
    page(&fortunes).map(Html::new).map_err(Error::internal)
}

async fn create_order(
    Database(store): Database,
    LimitedJson(order): LimitedJson<NewOrder, MAX_BODY_BYTES>,
) -> cot::Result<Json<OrderId>> {
    store.create_order(&order).await.map(Json).map_err(|error| match error {
        NotCreated::Conflict => Error::with_status(error, StatusCode::CONFLICT),
        NotCreated::Failed(error) => Error::internal(error),
    })
}

async fn order(Database(store): Database, Path(id): Path<i32>) -> cot::Result<Json<Order>> {
    let found = store.order(id).await.map_err(Error::internal)?;
    let missing = || Error::with_status("no such order", StatusCode::NOT_FOUND);
    found.map(Json).ok_or_else(missing)
}

async fn updates(Database(store): Database, UrlQuery(query): UrlQuery<CountQuery>) -> cot::Result<Json<Vec<World>>> {
    store.update_worlds(query.n).await.map(Json).map_err(Error::internal)
}
