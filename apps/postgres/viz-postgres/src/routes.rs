//! The contract in Viz's own words. Askama is one of the engines of its examples.

use postgres_contract::{
    CountQuery, Deadpool, MAX_BODY_BYTES, NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more,
};
use viz::{
    Error, IntoResponse, Request, RequestExt as _, RequestLimitsExt as _, Response, ResponseExt as _, Result, Router,
    StatusCode,
    middleware::limits,
    types::{Json, Limits, Payload as _, State},
};

pub fn router(store: Deadpool) -> Router {
    let max = Limits::default().set(Json::<()>::NAME, MAX_BODY_BYTES as u64);
    let with_bodies = Router::new()
        .post("/", create_order)
        .with(limits::Config::default().limits(max));
    Router::new()
        .get("/", index)
        .get("/db", db)
        .get("/queries", queries)
        .get("/fortunes", fortunes)
        .nest("/orders", with_bodies)
        .get("/orders/:id", order)
        .post("/updates", updates)
        // Its own answer to an unknown path has no body. A wrong method comes here as well.
        .any("/*", not_found)
        .with(State::new(store))
}

fn store(request: &Request) -> Result<Deadpool> {
    let missing = || (StatusCode::INTERNAL_SERVER_ERROR, "no database").into_error();
    request.state().ok_or_else(missing)
}

async fn index(_: Request) -> Result<&'static str> {
    Ok(postgres_contract::GREETING)
}

async fn db(request: Request) -> Result<Json<World>> {
    store(&request)?.world().await.map(Json).map_err(Error::boxed)
}

async fn queries(request: Request) -> Result<Json<Vec<World>>> {
    let query: CountQuery = request.query()?;
    store(&request)?.worlds(query.n).await.map(Json).map_err(Error::boxed)
}

async fn fortunes(request: Request) -> Result<Response> {
    let fortunes = with_one_more(store(&request)?.fortunes().await.map_err(Error::boxed)?);
    page(&fortunes).map(Response::html).map_err(Error::boxed)
}

async fn create_order(mut request: Request) -> Result<Json<OrderId>> {
    let order: NewOrder = request.json_with_limit().await?;
    let created = store(&request)?.create_order(&order).await;
    created.map(Json).map_err(|error| match error {
        NotCreated::Conflict => (StatusCode::CONFLICT, error.to_string()).into_error(),
        NotCreated::Failed(error) => Error::boxed(error),
    })
}

async fn order(request: Request) -> Result<Json<Order>> {
    let missing = || (StatusCode::NOT_FOUND, "no such order").into_error();
    // Its own answer to what is no number is 500.
    let id = request.param("id").map_err(|_| missing())?;
    let found = store(&request)?.order(id).await.map_err(Error::boxed)?;
    found.map(Json).ok_or_else(missing)
}

async fn updates(request: Request) -> Result<Json<Vec<World>>> {
    let query: CountQuery = request.query()?;
    store(&request)?
        .update_worlds(query.n)
        .await
        .map(Json)
        .map_err(Error::boxed)
}

async fn not_found(_: Request) -> Result<impl IntoResponse> {
    Ok((StatusCode::NOT_FOUND, "no such path, or not with this method"))
}
