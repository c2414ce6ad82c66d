//! The contract in Tako's own words. Its own answers to what is malformed or too large have a body.

use services_contract::{Claims, Document, Listing, MAX_BODY_BYTES, Order, Route, Settings};
use tako::{
    Method, NOT_FOUND, StatusCode,
    extractors::{bearer::Bearer, json::Json, path::Path},
    header::{ALLOW, HeaderValue},
    plugins::compression::CompressionBuilder,
    responder::Responder as _,
    router::Router,
    types::{Request, Response},
};

use crate::{
    files::add_files,
    middleware::{Layers, add_layers},
    pieces, upload,
    websocket::websocket,
};

const FOR_POST: [&str; 3] = ["/validate", "/json", "/upload"];

pub fn router(settings: &Settings) -> Router {
    let mut router = Router::new();
    router.get("/", index);
    router.get("/auth", auth);
    router.post("/validate", validate);
    router.post("/json", document);
    router.post("/upload", upload::received);
    router.with_state(upload::limits());
    // Applies only where a body is read.
    router.body_limit(MAX_BODY_BYTES);
    router.get("/middleware", layers);
    let compression = CompressionBuilder::new().enable_zstd(true).build();
    router.get("/listing/{seed}", listing).plugin(compression);
    router.get("/stream/{seed}", pieces::streamed);
    router.get("/events/{seed}", pieces::events);
    router.get("/websocket", websocket);
    add_files(&mut router, &settings.files);
    for route in services_contract::routes(settings.routes) {
        add_route(&mut router, route);
    }
    router.fallback(|_| async { NOT_FOUND });
    refuse_wrong_methods(&mut router);
    add_layers(&router, settings.layers);
    router
}

fn add_route(router: &mut Router, route: Route) {
    let (path, number) = (route.path("{id}"), route.number);
    if route.has_parameter() {
        router.get(&path, thing);
    } else {
        router.get(&path, move || async move { number.to_string() });
    }
}

/// Tako's own 405 has no body, and `client_error_handler`, which would add one, would be in the way of every request.
fn refuse_wrong_methods(router: &mut Router) {
    for method in [Method::GET, Method::PUT, Method::PATCH, Method::DELETE] {
        for path in FOR_POST {
            router.route(method.clone(), path, post_only);
        }
    }
}

async fn index() -> &'static str {
    services_contract::GREETING
}

async fn thing(Path(id): Path<String>) -> String {
    id
}

async fn layers(request: Request) -> String {
    let counted = request.extensions().get::<Layers>();
    counted.map_or(0, |Layers(count)| *count).to_string()
}

async fn auth(bearer: Bearer) -> Result<Json<Claims>, (StatusCode, String)> {
    services_contract::claims(Some(&bearer.with_bearer))
        .map(Json)
        .map_err(|reason| (StatusCode::UNAUTHORIZED, reason.to_string()))
}

async fn validate(Json(order): Json<Order>) -> Response {
    match order.total() {
        Ok(total) => Json(total).into_response(),
        Err(wrong) => (StatusCode::UNPROCESSABLE_ENTITY, Json(wrong)).into_response(),
    }
}

async fn document(Json(document): Json<Document>) -> Json<Document> {
    Json(document)
}

async fn listing(Path(seed): Path<u32>) -> Json<Listing> {
    Json(services_contract::listing(seed))
}

async fn post_only() -> Response {
    let mut response = (StatusCode::METHOD_NOT_ALLOWED, "not with this method").into_response();
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
    response
}
