//! The contract in Salvo's own words. Its default catcher answers what is malformed, unknown or too large.

use salvo::{
    Depot, Request, Response, Router, Service, Writer as _,
    compression::Compression,
    extract::{JsonBody, PathParam},
    handler,
    http::{StatusCode, header::AUTHORIZATION},
    serve_static::StaticDir,
    writing::{Json, Text},
};
use services_contract::{Document, Listing, Order, Route, Settings};

use crate::{
    middleware::{Layers, layered},
    pieces,
    websocket::websocket,
};

pub fn service(settings: &Settings) -> Service {
    let router = Router::new()
        .get(index)
        .push(Router::with_path("auth").get(auth))
        .push(Router::with_path("validate").post(validate))
        .push(Router::with_path("json").post(json))
        .push(Router::with_path("middleware").get(layers))
        .push(
            Router::with_path("listing/{seed}")
                .hoop(Compression::new())
                .get(listing),
        )
        .push(Router::with_path("stream/{seed}").get(pieces::stream))
        .push(Router::with_path("events/{seed}").get(pieces::events))
        .push(Router::with_path("websocket").get(websocket))
        .push(Router::with_path("static/{**path}").get(StaticDir::new([&settings.files])));
    // A tree, "the recommended way": <https://docs.rs/salvo/1.1.0/salvo/routing/index.html#write-in-tree-way>.
    let router = services_contract::areas(settings.routes).fold(router, |router, (area, routes)| {
        router.push(routes.map(child).fold(Router::with_path(area.path()), Router::push))
    });
    Service::new(layered(router, settings.layers))
}

fn child(route: Route) -> Router {
    let child = Router::with_path(route.path_in_area("{id}"));
    if route.has_parameter() {
        child.get(thing)
    } else {
        child.get(Number(route.number))
    }
}

struct Number(u32);

#[handler]
impl Number {
    fn handle(&self) -> String {
        self.0.to_string()
    }
}

#[handler]
async fn index() -> &'static str {
    services_contract::GREETING
}

#[handler]
async fn thing(id: PathParam<String>) -> String {
    id.into_inner()
}

#[handler]
async fn layers(depot: &mut Depot) -> String {
    let counted = depot.get_typed::<Layers>();
    counted.map_or(0, |Layers(count)| *count).to_string()
}

#[handler]
async fn auth(request: &mut Request, response: &mut Response) {
    match services_contract::claims(request.header(AUTHORIZATION)) {
        Ok(claims) => response.render(Json(claims)),
        Err(reason) => {
            response.status_code(StatusCode::UNAUTHORIZED);
            response.render(Text::Plain(reason.to_string()));
        }
    }
}

#[handler]
async fn validate(order: JsonBody<Order>, response: &mut Response) {
    match order.total() {
        Ok(total) => response.render(Json(total)),
        Err(wrong) => {
            response.status_code(StatusCode::UNPROCESSABLE_ENTITY);
            response.render(Json(wrong));
        }
    }
}

#[handler]
async fn json(document: JsonBody<Document>) -> Json<Document> {
    Json(document.into_inner())
}

#[handler]
async fn listing(seed: PathParam<u32>) -> Json<Listing> {
    Json(services_contract::listing(seed.into_inner()))
}
