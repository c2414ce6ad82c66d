//! The contract in Rocket's own words. Its own templates are files next to the program, which a program that is handed to another
//! machine does not have: the page is made by Askama, as by most.

use postgres_contract::{
    Count, Deadpool, NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more,
};
use rocket::{
    Route, State, get,
    http::Status,
    post,
    response::{content::RawHtml, status::Custom},
    routes,
    serde::json::Json,
};

type Failure = Custom<String>;

pub fn routes() -> Vec<Route> {
    routes![index, db, queries, fortunes, create_order, order, updates]
}

#[get("/")]
fn index() -> &'static str {
    postgres_contract::GREETING
}

#[get("/db")]
async fn db(store: &State<Deadpool>) -> Result<Json<World>, Failure> {
    store.world().await.map(Json).map_err(failure)
}

// Not `Option<Count>`: to Rocket a number that cannot be read is one that was not sent, and the default would answer.
#[get("/queries?<n>")]
async fn queries(store: &State<Deadpool>, n: Option<&str>) -> Result<Json<Vec<World>>, Failure> {
    store.worlds(count(n)?).await.map(Json).map_err(failure)
}

#[get("/fortunes")]
async fn fortunes(store: &State<Deadpool>) -> Result<RawHtml<String>, Failure> {
    let fortunes = with_one_more(store.fortunes().await.map_err(failure)?);
    page(&fortunes).map(RawHtml).map_err(failure)
}

#[post("/orders", format = "json", data = "<order>")]
async fn create_order(store: &State<Deadpool>, order: Json<NewOrder>) -> Result<Json<OrderId>, Failure> {
    store.create_order(&order).await.map(Json).map_err(|error| match error {
        NotCreated::Conflict => Custom(Status::Conflict, error.to_string()),
        NotCreated::Failed(error) => failure(error),
    })
}

#[get("/orders/<id>")]
async fn order(store: &State<Deadpool>, id: i32) -> Result<Option<Json<Order>>, Failure> {
    Ok(store.order(id).await.map_err(failure)?.map(Json))
}

#[post("/updates?<n>")]
async fn updates(store: &State<Deadpool>, n: Option<&str>) -> Result<Json<Vec<World>>, Failure> {
    store.update_worlds(count(n)?).await.map(Json).map_err(failure)
}

fn count(n: Option<&str>) -> Result<Count, Failure> {
    Count::from_query(n).map_err(|error| Custom(Status::BadRequest, error.to_string()))
}

fn failure(error: impl std::error::Error) -> Failure {
    Custom(Status::InternalServerError, error.to_string())
}
