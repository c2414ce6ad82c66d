//! The contract in ntex's own words. Its documentation shows no template engine: the page is made by Askama, as by most.

use std::{error::Error as StdError, fmt::Display};

use ntex::{
    http::StatusCode,
    web::{
        self, Error, HttpResponse, Responder,
        error::InternalError,
        types::{Json, Path, Query, State},
    },
};
use postgres_contract::{CountQuery, Deadpool, NewOrder, NotCreated, Store as _, page, with_one_more};

pub fn configure(config: &mut web::ServiceConfig) {
    config
        .service(index)
        .service(db)
        .service(queries)
        .service(fortunes)
        .service(create_order)
        .service(order)
        .service(updates);
}

#[web::get("/")]
async fn index() -> impl Responder {
    postgres_contract::GREETING
}

#[web::get("/db")]
async fn db(store: State<Deadpool>) -> Result<impl Responder, Error> {
    Ok(Json(store.world().await.map_err(failure)?))
}

#[web::get("/queries")]
async fn queries(store: State<Deadpool>, query: Query<CountQuery>) -> Result<impl Responder, Error> {
    Ok(Json(store.worlds(query.n).await.map_err(failure)?))
}

#[web::get("/fortunes")]
async fn fortunes(store: State<Deadpool>) -> Result<impl Responder, Error> {
    let rows = with_one_more(store.fortunes().await.map_err(failure)?);
    let page = page(&rows).map_err(failure)?;
    Ok(HttpResponse::Ok().content_type("text/html; charset=utf-8").body(page))
}

#[web::post("/orders")]
async fn create_order(store: State<Deadpool>, new: Json<NewOrder>) -> Result<impl Responder, Error> {
    let created = store.create_order(&new).await.map_err(|error| match error {
        NotCreated::Conflict => refusal(error, StatusCode::CONFLICT),
        NotCreated::Failed(error) => failure(error),
    });
    Ok(Json(created?))
}

#[web::get("/orders/{id}")]
async fn order(store: State<Deadpool>, id: Path<i32>) -> Result<impl Responder, Error> {
    let found = store.order(*id).await.map_err(failure)?;
    found
        .map(Json)
        .ok_or_else(|| refusal("no such order", StatusCode::NOT_FOUND))
}

#[web::post("/updates")]
async fn updates(store: State<Deadpool>, query: Query<CountQuery>) -> Result<impl Responder, Error> {
    Ok(Json(store.update_worlds(query.n).await.map_err(failure)?))
}

/// Its own answer to an unknown path has no body. A wrong method comes here as well.
pub async fn not_found() -> impl Responder {
    ("no such path, or not with this method", StatusCode::NOT_FOUND)
}

fn failure(error: impl StdError + 'static) -> Error {
    refusal(error, StatusCode::INTERNAL_SERVER_ERROR)
}

fn refusal(error: impl Display, status: StatusCode) -> Error {
    InternalError::new(error.to_string(), status).into()
}
