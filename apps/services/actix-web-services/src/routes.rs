//! The contract in Actix Web's own words.

use actix_files::Files;
use actix_web::{
    HttpRequest, HttpResponse, Responder, Result,
    error::ErrorUnauthorized,
    http::{StatusCode, header::AUTHORIZATION},
    middleware::Compress,
    web::{self, Json, Path, ReqData},
};
use services_contract::{Document, Order, Route, Settings};

use crate::{
    middleware::{Layers, layered},
    pieces, upload, websocket,
};

/// The server, with the routes that `json` and `things` add.
pub fn configure(
    config: &mut web::ServiceConfig,
    settings: &Settings,
    json: fn(&mut web::ServiceConfig),
    things: fn(&mut web::ServiceConfig, u32),
) {
    config
        .route("/", web::get().to(index))
        .route("/middleware", layered(web::get().to(layers), settings.layers))
        .route("/auth", web::get().to(auth))
        .configure(json)
        .route("/upload", web::post().to(upload::upload))
        .service(Files::new("/static", &settings.files))
        .route("/listing/{seed}", web::get().to(listing).wrap(Compress::default()))
        .route("/stream/{seed}", web::get().to(pieces::stream))
        .route("/events/{seed}", web::get().to(pieces::events))
        .route("/websocket", web::get().to(websocket::echo))
        // Its own answer to an unknown path has no body. A wrong method comes here as well.
        .default_service(web::to(not_found));
    things(config, settings.routes);
}

/// The routes by area, as the documentation has a common prefix: <https://actix.rs/docs/application#using-an-application-scope-to-compose-applications>.
pub fn grouped(config: &mut web::ServiceConfig, count: u32) {
    for (area, routes) in services_contract::areas(count) {
        let scope = web::scope(&area.path());
        config.service(routes.fold(scope, |scope, route| {
            scope.route(&route.path_in_area("{id}"), handler(route))
        }));
    }
}

/// The same routes one after the other: each that does not match is tried before one that does.
pub fn flat(config: &mut web::ServiceConfig, count: u32) {
    for route in services_contract::routes(count) {
        config.route(&route.path("{id}"), handler(route));
    }
}

fn handler(route: Route) -> actix_web::Route {
    let number = route.number;
    if route.has_parameter() {
        web::get().to(thing)
    } else {
        web::get().to(move || async move { number.to_string() })
    }
}

/// The routes where JSON is read, by the framework's own extractor.
pub fn json(config: &mut web::ServiceConfig) {
    config
        .route("/validate", web::post().to(validate))
        .route("/json", web::post().to(document));
}

async fn index() -> impl Responder {
    services_contract::GREETING
}

async fn thing(id: Path<String>) -> impl Responder {
    id.into_inner()
}

async fn layers(counted: Option<ReqData<Layers>>) -> impl Responder {
    counted.map_or(0, |counted| counted.0).to_string()
}

async fn auth(request: HttpRequest) -> Result<impl Responder> {
    let authorization = request
        .headers()
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let claims = services_contract::claims(authorization);
    claims.map(Json).map_err(ErrorUnauthorized)
}

async fn validate(order: Json<Order>) -> impl Responder {
    match order.total() {
        Ok(total) => HttpResponse::Ok().json(total),
        Err(wrong) => HttpResponse::UnprocessableEntity().json(wrong),
    }
}

async fn document(document: Json<Document>) -> impl Responder {
    document
}

async fn listing(seed: Path<u32>) -> impl Responder {
    Json(services_contract::listing(seed.into_inner()))
}

async fn not_found() -> impl Responder {
    ("no such path, or not with this method", StatusCode::NOT_FOUND)
}
