//! The contract in Silent's own words. Its own answers to what is malformed or unknown have a body.

use std::fmt::Display;

use postgres_contract::{CountQuery, Deadpool, MAX_BODY_BYTES, NewOrder, NotCreated, Store as _, page, with_one_more};
use silent::{
    Response, Result, SilentError, StatusCode,
    extractor::{Path, Query, State},
    prelude::{Request, Route},
};
use silent_app::Json;

/// By itself, a query that is wrong is answered with 422.
type Count = std::result::Result<Query<CountQuery>, Response>;

pub fn routes(store: Deadpool, fortunes: Route) -> Route {
    Route::new_root()
        .with_state(store)
        .get(index)
        .append(Route::new("db").get(db))
        .append(Route::new("queries").get(queries))
        .append(fortunes)
        .append(
            Route::new("orders")
                .post(create_order)
                .append(Route::new("<id:i32>").get(order)),
        )
        .append(Route::new("updates").post(updates))
}

/// A `&str` by itself would be answered as JSON.
async fn index(_: Request) -> Result<Response> {
    Ok(Response::text(postgres_contract::GREETING))
}

async fn db(State(store): State<Deadpool>) -> Result<Response> {
    store.world().await.map(|world| Response::json(&world)).map_err(failure)
}

async fn queries((State(store), query): (State<Deadpool>, Count)) -> Result<Response> {
    match query {
        Ok(Query(query)) => {
            let worlds = store.worlds(query.n).await.map_err(failure)?;
            Ok(Response::json(&worlds))
        }
        Err(refusal) => Ok(refusal.with_status(StatusCode::BAD_REQUEST)),
    }
}

/// The page by Askama.
pub async fn fortunes(State(store): State<Deadpool>) -> Result<Response> {
    let fortunes = with_one_more(store.fortunes().await.map_err(failure)?);
    page(&fortunes).map(|page| Response::html(&page)).map_err(failure)
}

async fn create_order(
    (State(store), Json(order)): (State<Deadpool>, Json<NewOrder, MAX_BODY_BYTES>),
) -> Result<Response> {
    let created = store.create_order(&order).await;
    created.map(|id| Response::json(&id)).map_err(|error| match error {
        NotCreated::Conflict => SilentError::business_error(StatusCode::CONFLICT, error.to_string()),
        NotCreated::Failed(error) => failure(error),
    })
}

async fn order((State(store), Path(id)): (State<Deadpool>, Path<i32>)) -> Result<Response> {
    let found = store.order(id).await.map_err(failure)?;
    let missing = || SilentError::business_error(StatusCode::NOT_FOUND, "no such order");
    found.map(|order| Response::json(&order)).ok_or_else(missing)
}

async fn updates((State(store), query): (State<Deadpool>, Count)) -> Result<Response> {
    match query {
        Ok(Query(query)) => {
            let worlds = store.update_worlds(query.n).await.map_err(failure)?;
            Ok(Response::json(&worlds))
        }
        Err(refusal) => Ok(refusal.with_status(StatusCode::BAD_REQUEST)),
    }
}

pub fn failure(error: impl Display) -> SilentError {
    SilentError::business_error(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
