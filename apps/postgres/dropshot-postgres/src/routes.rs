//! The contract in Dropshot's own words. Its documentation shows no template engine: the page is made by Askama, as by most.

use std::fmt::Display;

use dropshot::{
    ApiDescription, ApiDescriptionRegisterError, Body, ClientErrorStatusCode, HttpError, HttpResponseOk, Path, Query,
    RequestContext, endpoint,
};
use http::{Response, StatusCode, header::CONTENT_TYPE};
use postgres_contract::{Deadpool, NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more};
use serde::Serialize;

use crate::{
    body::Json,
    messages::{Message, Number, OrderPath},
};

type Answer<T> = Result<HttpResponseOk<Message<T>>, HttpError>;

pub fn api() -> Result<ApiDescription<Deadpool>, ApiDescriptionRegisterError> {
    let mut api = ApiDescription::new();
    api.register(index)?;
    api.register(db)?;
    api.register(queries)?;
    api.register(fortunes)?;
    api.register(create_order)?;
    api.register(order)?;
    api.register(updates)?;
    Ok(api)
}

#[endpoint { method = GET, path = "/" }]
async fn index(_: RequestContext<Deadpool>) -> Result<Response<Body>, HttpError> {
    by_hand("text/plain", postgres_contract::GREETING)
}

#[endpoint { method = GET, path = "/db" }]
async fn db(request: RequestContext<Deadpool>) -> Answer<World> {
    request.context().world().await.map(ok).map_err(failure)
}

#[endpoint { method = GET, path = "/queries" }]
async fn queries(request: RequestContext<Deadpool>, query: Query<Number>) -> Answer<Vec<World>> {
    let Number(query) = query.into_inner();
    request.context().worlds(query.n).await.map(ok).map_err(failure)
}

#[endpoint { method = GET, path = "/fortunes" }]
async fn fortunes(request: RequestContext<Deadpool>) -> Result<Response<Body>, HttpError> {
    let fortunes = with_one_more(request.context().fortunes().await.map_err(failure)?);
    by_hand("text/html; charset=utf-8", page(&fortunes).map_err(failure)?)
}

#[endpoint { method = POST, path = "/orders" }]
async fn create_order(request: RequestContext<Deadpool>, Json(new): Json<NewOrder>) -> Answer<OrderId> {
    let created = request.context().create_order(&new).await;
    created.map(ok).map_err(|error| match error {
        NotCreated::Conflict => HttpError::for_client_error(None, ClientErrorStatusCode::CONFLICT, error.to_string()),
        NotCreated::Failed(error) => failure(error),
    })
}

#[endpoint { method = GET, path = "/orders/{id}" }]
async fn order(request: RequestContext<Deadpool>, path: Path<OrderPath>) -> Answer<Order> {
    let found = request.context().order(path.into_inner().id).await.map_err(failure)?;
    let missing = || HttpError::for_not_found(None, "no such order".to_owned());
    found.map(ok).ok_or_else(missing)
}

#[endpoint { method = POST, path = "/updates" }]
async fn updates(request: RequestContext<Deadpool>, query: Query<Number>) -> Answer<Vec<World>> {
    let Number(query) = query.into_inner();
    request.context().update_worlds(query.n).await.map(ok).map_err(failure)
}

fn ok<T: Serialize + Send + Sync + 'static>(value: T) -> HttpResponseOk<Message<T>> {
    HttpResponseOk(Message(value))
}

/// What is not JSON is a response by hand, as in the example `index`.
fn by_hand(content_type: &str, body: impl Into<Body>) -> Result<Response<Body>, HttpError> {
    Ok(Response::builder()
        .status(StatusCode::OK)
        .header(CONTENT_TYPE, content_type)
        .body(body.into())?)
}

fn failure(error: impl Display) -> HttpError {
    HttpError::for_internal_error(error.to_string())
}
