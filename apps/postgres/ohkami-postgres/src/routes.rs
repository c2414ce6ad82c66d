//! The contract in Ohkami's own words. Its documentation shows no template engine: the page is made by Askama, as by most.

use ohkami::{
    Ohkami, Response, Route as _,
    claw::{Json, Path, Query, content::Html},
    fang::Context,
};
use postgres_contract::{
    CountQuery, Deadpool, NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more,
};

pub fn app(store: Deadpool) -> Ohkami {
    Ohkami::new((
        Context::new(store),
        "/".GET(index),
        "/db".GET(db),
        "/queries".GET(queries),
        "/fortunes".GET(fortunes),
        "/orders".POST(create_order),
        "/orders/:id".GET(order),
        "/updates".POST(updates),
    ))
}

async fn index() -> &'static str {
    postgres_contract::GREETING
}

async fn db(Context(store): Context<'_, Deadpool>) -> Result<Json<World>, Response> {
    store.world().await.map(Json).map_err(failure)
}

async fn queries(
    Context(store): Context<'_, Deadpool>,
    Query(query): Query<CountQuery>,
) -> Result<Json<Vec<World>>, Response> {
    store.worlds(query.n).await.map(Json).map_err(failure)
}

async fn fortunes(Context(store): Context<'_, Deadpool>) -> Result<Html, Response> {
    let fortunes = with_one_more(store.fortunes().await.map_err(failure)?);
    page(&fortunes).map(Html).map_err(failure)
}

async fn create_order(
    Context(store): Context<'_, Deadpool>,
    Json(order): Json<NewOrder>,
) -> Result<Json<OrderId>, Response> {
    store.create_order(&order).await.map(Json).map_err(|error| match error {
        NotCreated::Conflict => Response::Conflict().with_text(error.to_string()),
        NotCreated::Failed(error) => failure(error),
    })
}

async fn order(Context(store): Context<'_, Deadpool>, Path(id): Path<i32>) -> Result<Json<Order>, Response> {
    let found = store.order(id).await.map_err(failure)?;
    found
        .map(Json)
        .ok_or_else(|| Response::NotFound().with_text("no such order"))
}

async fn updates(
    Context(store): Context<'_, Deadpool>,
    Query(query): Query<CountQuery>,
) -> Result<Json<Vec<World>>, Response> {
    store.update_worlds(query.n).await.map(Json).map_err(failure)
}

fn failure(error: impl std::error::Error) -> Response {
    Response::InternalServerError().with_text(error.to_string())
}
