//! The contract in Salvo's own words. Askama is what its guide to template engines uses.

use postgres_contract::{
    CountQuery, Deadpool, NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more,
};
use salvo::{
    Depot, Request, Router, Service, Writer, affix_state,
    extract::JsonBody,
    handler,
    http::StatusError,
    writing::{Json, Text},
};

pub fn service(store: Deadpool) -> Service {
    let router = Router::new()
        .hoop(affix_state::inject(store))
        .get(index)
        .push(Router::with_path("db").get(db))
        .push(Router::with_path("queries").get(queries))
        .push(Router::with_path("fortunes").get(fortunes))
        .push(Router::with_path("orders").post(create_order))
        .push(Router::with_path("orders/{id}").get(order))
        .push(Router::with_path("updates").post(updates));
    Service::new(router)
}

fn store(depot: &Depot) -> Result<&Deadpool, StatusError> {
    depot
        .get_typed::<Deadpool>()
        .map_err(|_| StatusError::internal_server_error())
}

#[handler]
async fn index() -> &'static str {
    postgres_contract::GREETING
}

#[handler]
async fn db(depot: &mut Depot) -> Result<Json<World>, StatusError> {
    store(depot)?.world().await.map(Json).map_err(failure)
}

#[handler]
async fn queries(request: &mut Request, depot: &mut Depot) -> Result<Json<Vec<World>>, StatusError> {
    let query: CountQuery = request.parse_queries().map_err(malformed)?;
    store(depot)?.worlds(query.n).await.map(Json).map_err(failure)
}

#[handler]
async fn fortunes(depot: &mut Depot) -> Result<Text<String>, StatusError> {
    let rows = with_one_more(store(depot)?.fortunes().await.map_err(failure)?);
    page(&rows).map(Text::Html).map_err(failure)
}

#[handler]
async fn create_order(new: JsonBody<NewOrder>, depot: &mut Depot) -> Result<Json<OrderId>, StatusError> {
    let created = store(depot)?.create_order(&new).await;
    created.map(Json).map_err(|error| match error {
        NotCreated::Conflict => StatusError::conflict().brief(error.to_string()),
        NotCreated::Failed(error) => failure(error),
    })
}

#[handler]
async fn order(request: &mut Request, depot: &mut Depot) -> Result<Json<Order>, StatusError> {
    let id = request.param("id").ok_or_else(StatusError::not_found)?;
    let found = store(depot)?.order(id).await.map_err(failure)?;
    found.map(Json).ok_or_else(StatusError::not_found)
}

#[handler]
async fn updates(request: &mut Request, depot: &mut Depot) -> Result<Json<Vec<World>>, StatusError> {
    let query: CountQuery = request.parse_queries().map_err(malformed)?;
    store(depot)?.update_worlds(query.n).await.map(Json).map_err(failure)
}

fn malformed(error: impl std::error::Error + Send + Sync + 'static) -> StatusError {
    StatusError::bad_request().cause(error)
}

fn failure(error: impl std::error::Error + Send + Sync + 'static) -> StatusError {
    StatusError::internal_server_error().cause(error)
}
