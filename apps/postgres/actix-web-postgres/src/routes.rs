//! The contract in Actix Web's own words. Askama is one of the engines of its examples.

use std::fmt::{Debug, Display};

use actix_web::{
    Responder, Result,
    error::{ErrorConflict, ErrorInternalServerError, ErrorNotFound},
    http::StatusCode,
    web::{self, Data, Html, Json, Path, Query},
};
use postgres_contract::{CountQuery, NewOrder, NotCreated, Store, page, with_one_more};

pub fn configure<S: Store>(config: &mut web::ServiceConfig) {
    config
        .route("/", web::get().to(index))
        .route("/db", web::get().to(db::<S>))
        .route("/queries", web::get().to(queries::<S>))
        .route("/fortunes", web::get().to(fortunes::<S>))
        .route("/orders", web::post().to(create_order::<S>))
        .route("/orders/{id}", web::get().to(order::<S>))
        .route("/updates", web::post().to(updates::<S>))
        // Its own answer to an unknown path has no body. A wrong method comes here as well.
        .default_service(web::to(not_found));
}

async fn index() -> impl Responder {
    postgres_contract::GREETING
}

async fn db<S: Store>(store: Data<S>) -> Result<impl Responder> {
    Ok(Json(store.world().await.map_err(failure)?))
}

async fn queries<S: Store>(store: Data<S>, query: Query<CountQuery>) -> Result<impl Responder> {
    Ok(Json(store.worlds(query.n).await.map_err(failure)?))
}

async fn fortunes<S: Store>(store: Data<S>) -> Result<impl Responder> {
    let fortunes = with_one_more(store.fortunes().await.map_err(failure)?);
    Ok(Html::new(page(&fortunes).map_err(failure)?))
}

async fn create_order<S: Store>(store: Data<S>, order: Json<NewOrder>) -> Result<impl Responder> {
    let created = store.create_order(&order).await.map_err(|error| match error {
        NotCreated::Conflict => ErrorConflict(error),
        NotCreated::Failed(error) => failure(error),
    });
    Ok(Json(created?))
}

async fn order<S: Store>(store: Data<S>, id: Path<i32>) -> Result<impl Responder> {
    let found = store.order(*id).await.map_err(failure)?;
    found.map(Json).ok_or_else(|| ErrorNotFound("no such order"))
}

async fn updates<S: Store>(store: Data<S>, query: Query<CountQuery>) -> Result<impl Responder> {
    Ok(Json(store.update_worlds(query.n).await.map_err(failure)?))
}

async fn not_found() -> impl Responder {
    ("no such path, or not with this method", StatusCode::NOT_FOUND)
}

fn failure(error: impl Debug + Display + 'static) -> actix_web::Error {
    ErrorInternalServerError(error)
}
