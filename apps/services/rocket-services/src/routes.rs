//! The contract in Rocket's own words. Its default catchers answer what is malformed, unknown or too large.
#![expect(clippy::needless_pass_by_value, reason = "a handler of Rocket owns what it is given")]

use std::sync::atomic::Ordering;

use rocket::{
    Data, Request, Route, get,
    http::{Method, Status},
    outcome::IntoOutcome as _,
    post,
    request::{self, FromRequest},
    response::status::{Custom, Unauthorized},
    route::{self, Handler},
    routes,
    serde::json::Json,
};
use services_contract::{Claims, Document, Order, Total, WrongFields};

use crate::{middleware::Layers, pieces, upload, websocket};

pub fn routes(count: u32) -> Vec<Route> {
    let mut routes = routes![
        index,
        auth,
        validate,
        json,
        layers,
        upload::upload,
        pieces::stream,
        pieces::events,
        websocket::websocket
    ];
    // An attribute has its path in the source: for one that is not known before, the documentation has `Route::new`.
    routes.extend(services_contract::routes(count).map(|route| {
        let path = route.path("<id>");
        if route.has_parameter() {
            Route::new(Method::Get, &path, Thing)
        } else {
            Route::new(Method::Get, &path, Number(route.number))
        }
    }));
    routes
}

#[derive(Clone)]
struct Number(u32);

#[rocket::async_trait]
impl Handler for Number {
    async fn handle<'r>(&self, request: &'r Request<'_>, _: Data<'r>) -> route::Outcome<'r> {
        route::Outcome::from(request, self.0.to_string())
    }
}

#[derive(Clone)]
struct Thing;

/// Which segment of its path is the parameter.
const ID: usize = 2;

#[rocket::async_trait]
impl Handler for Thing {
    async fn handle<'r>(&self, request: &'r Request<'_>, data: Data<'r>) -> route::Outcome<'r> {
        match request.param::<&str>(ID).and_then(Result::ok) {
            Some(id) => route::Outcome::from(request, id),
            None => route::Outcome::forward(data, Status::NotFound),
        }
    }
}

#[get("/")]
fn index() -> &'static str {
    services_contract::GREETING
}

#[get("/middleware")]
fn layers(counted: &Layers) -> String {
    counted.0.load(Ordering::Relaxed).to_string()
}

/// Who calls, by the token that was sent.
struct Caller(Claims);

#[rocket::async_trait]
impl<'r> FromRequest<'r> for Caller {
    type Error = services_contract::Unauthorized;

    async fn from_request(request: &'r Request<'_>) -> request::Outcome<Self, Self::Error> {
        services_contract::claims(request.headers().get_one("Authorization"))
            .map(Self)
            .or_error(Status::Unauthorized)
    }
}

#[get("/auth")]
fn auth(caller: Result<Caller, services_contract::Unauthorized>) -> Result<Json<Claims>, Unauthorized<String>> {
    caller
        .map(|Caller(claims)| Json(claims))
        .map_err(|reason| Unauthorized(reason.to_string()))
}

#[post("/validate", format = "json", data = "<order>")]
fn validate(order: Json<Order>) -> Result<Json<Total>, Custom<Json<WrongFields>>> {
    order
        .total()
        .map(Json)
        .map_err(|wrong| Custom(Status::UnprocessableEntity, Json(wrong)))
}

#[post("/json", format = "json", data = "<document>")]
fn json(document: Json<Document>) -> Json<Document> {
    document
}
