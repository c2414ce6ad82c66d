//! The contract in ntex's own words.

use ntex::{
    http::{StatusCode, header::AUTHORIZATION},
    web::{
        self, Error, HttpRequest, HttpResponse, Responder,
        error::InternalError,
        guard,
        middleware::Compress,
        types::{Json, Path},
    },
};
use services_contract::{Document, Order, Route, Settings, five_times};

use crate::{
    middleware::{Count, Layers},
    pieces, upload, websocket,
};

/// The server, which reads JSON by the routes that `json` adds.
pub fn configure(config: &mut web::ServiceConfig, settings: &Settings, json: fn(&mut web::ServiceConfig)) {
    config.service(index).service(auth);
    json(config);
    config
        .route("/upload", web::post().to(upload::upload))
        .service(
            web::resource("/listing/{seed}")
                .guard(guard::Get())
                .middleware(Compress::default())
                .to(listing),
        )
        .route("/stream/{seed}", web::get().to(pieces::stream))
        .route("/events/{seed}", web::get().to(pieces::events))
        .route("/websocket", web::get().to(websocket::start));
    let resource = web::resource("/middleware").guard(guard::Get()).to(layers);
    // Each layer is another type.
    match settings.layers {
        0 => config.service(resource),
        5 => config.service(five_times!(resource, middleware, Count)),
        _ => {
            let ten = five_times!(five_times!(resource, middleware, Count), middleware, Count);
            config.service(five_times!(five_times!(ten, middleware, Count), middleware, Count))
        }
    };
    // A common prefix is a scope: <https://docs.rs/ntex/3.12.3/ntex/web/fn.scope.html>.
    for (area, routes) in services_contract::areas(settings.routes) {
        let scope = web::scope(area.path());
        config.service(routes.fold(scope, |scope, route| {
            scope.route(&route.path_in_area("{id}"), handler(route))
        }));
    }
}

fn handler(route: Route) -> web::Route {
    let number = route.number;
    if route.has_parameter() {
        web::get().to(thing)
    } else {
        web::get().to(async move || number.to_string())
    }
}

/// The routes where JSON is read, by the framework's own extractor.
pub fn json(config: &mut web::ServiceConfig) {
    config.service(validate).service(document);
}

#[web::get("/")]
async fn index() -> impl Responder {
    services_contract::GREETING
}

async fn thing(id: Path<String>) -> impl Responder {
    id.into_inner()
}

async fn layers(request: HttpRequest) -> impl Responder {
    let Layers(count) = request.extensions().get().copied().unwrap_or_default();
    count.to_string()
}

#[web::get("/auth")]
async fn auth(request: HttpRequest) -> Result<impl Responder, Error> {
    let authorization = request
        .headers()
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let claims = services_contract::claims(authorization);
    claims
        .map(Json)
        .map_err(|reason| InternalError::new(reason, StatusCode::UNAUTHORIZED).into())
}

#[web::post("/validate")]
async fn validate(order: Json<Order>) -> impl Responder {
    match order.total() {
        Ok(total) => HttpResponse::Ok().json(&total),
        Err(wrong) => HttpResponse::UnprocessableEntity().json(&wrong),
    }
}

#[web::post("/json")]
async fn document(document: Json<Document>) -> impl Responder {
    document
}

async fn listing(seed: Path<u32>) -> impl Responder {
    Json(services_contract::listing(*seed))
}

/// Its own answer to an unknown path has no body. A wrong method comes here as well.
pub async fn not_found() -> impl Responder {
    ("no such path, or not with this method", StatusCode::NOT_FOUND)
}
