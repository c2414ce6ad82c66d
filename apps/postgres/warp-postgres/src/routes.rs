//! The contract in warp's own words.

use std::{error::Error, fmt::Display};

use postgres_contract::{
    CountQuery, Deadpool, Fortune, MAX_BODY_BYTES, NewOrder, NotCreated, Store as _, StoreError, with_one_more,
};
use warp::{
    Filter, Rejection, Reply,
    http::StatusCode,
    path,
    reply::{self, Response},
};

pub type Failure = Box<dyn Error + Send + Sync>;

/// Makes the page of fortunes, with every message escaped.
pub type Page = fn(&[Fortune]) -> Result<String, Failure>;

/// The method comes after the path: a method that does not match would outweigh a path that does not, and unknown paths
/// would be answered with 405.
pub fn routes(
    store: Deadpool,
    page: Page,
) -> impl Filter<Extract = (impl Reply,), Error = Rejection> + Clone + Send + Sync + 'static {
    let store = warp::any().map(move || store.clone());
    let index = path::end().and(warp::get()).map(|| postgres_contract::GREETING);
    let db = path!("db").and(warp::get()).and(store.clone()).then(db);
    let queries = path!("queries")
        .and(warp::get())
        .and(store.clone())
        .and(warp::query())
        .then(queries);
    let fortunes = path!("fortunes")
        .and(warp::get())
        .and(store.clone())
        .then(move |store| fortunes(store, page));
    let create_order = path!("orders")
        .and(warp::post())
        .and(store.clone())
        .and(warp::body::content_length_limit(MAX_BODY_BYTES as u64))
        .and(warp::body::json())
        .then(create_order);
    let order = path!("orders" / i32).and(warp::get()).and(store.clone()).then(order);
    let updates = path!("updates")
        .and(warp::post())
        .and(store)
        .and(warp::query())
        .then(updates);
    index
        .or(db)
        .or(queries)
        .or(fortunes)
        .or(create_order)
        .or(order)
        .or(updates)
}

async fn db(store: Deadpool) -> Response {
    answer(store.world().await)
}

async fn queries(store: Deadpool, query: CountQuery) -> Response {
    answer(store.worlds(query.n).await)
}

async fn fortunes(store: Deadpool, page: Page) -> Response {
    match store.fortunes().await.map(|fortunes| page(&with_one_more(fortunes))) {
        Ok(Ok(page)) => reply::html(page).into_response(),
        Ok(Err(error)) => failure(&error),
        Err(error) => failure(&error),
    }
}

async fn create_order(store: Deadpool, order: NewOrder) -> Response {
    match store.create_order(&order).await {
        Ok(id) => reply::json(&id).into_response(),
        Err(error @ NotCreated::Conflict) => {
            reply::with_status(error.to_string(), StatusCode::CONFLICT).into_response()
        }
        Err(NotCreated::Failed(error)) => failure(&error),
    }
}

async fn order(id: i32, store: Deadpool) -> Response {
    match store.order(id).await {
        Ok(Some(order)) => reply::json(&order).into_response(),
        Ok(None) => reply::with_status("no such order", StatusCode::NOT_FOUND).into_response(),
        Err(error) => failure(&error),
    }
}

async fn updates(store: Deadpool, query: CountQuery) -> Response {
    answer(store.update_worlds(query.n).await)
}

fn answer(rows: Result<impl serde::Serialize, StoreError>) -> Response {
    rows.map_or_else(|error| failure(&error), |rows| reply::json(&rows).into_response())
}

fn failure(error: &impl Display) -> Response {
    reply::with_status(error.to_string(), StatusCode::INTERNAL_SERVER_ERROR).into_response()
}
