//! The contract in Axum's own words.

use axum::{
    Extension, Json, Router,
    extract::{DefaultBodyLimit, Path, WebSocketUpgrade},
    http::{HeaderMap, StatusCode, header::AUTHORIZATION},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use services_contract::{Claims, Document, Listing, MAX_BODY_BYTES, MAX_UPLOAD_BYTES, Order, Settings};
use tower_http::{compression::CompressionLayer, services::ServeDir};

use crate::{
    middleware::{Layers, layered},
    pieces, upload, websocket,
};

/// The server, which reads JSON by the routes `json`.
pub fn router(settings: &Settings, json: Router) -> Router {
    let router = Router::new()
        .route("/", get(index))
        .route("/auth", get(auth))
        .merge(with_bodies(json))
        .merge(compressed())
        .route("/middleware", get(layers))
        .route("/stream/{seed}", get(pieces::stream))
        .route("/events/{seed}", get(pieces::events))
        .route("/websocket", get(websocket))
        .nest_service("/static", ServeDir::new(&settings.files));
    let router = services_contract::routes(settings.routes).fold(router, |router, route| {
        let number = route.number;
        let handler = if route.has_parameter() {
            get(thing)
        } else {
            get(move || async move { number.to_string() })
        };
        router.route(&route.path("{id}"), handler)
    });
    // Its own answers to these two have no body.
    let router = router
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed);
    layered(router, settings.layers)
}

/// The routes where JSON is read, by the framework's own extractor.
pub fn json() -> Router {
    Router::new()
        .route("/validate", post(validate))
        .route("/json", post(document))
}

/// The limit stands where a body is read, so that the others do not pay for it.
fn with_bodies(json: Router) -> Router {
    json.layer(DefaultBodyLimit::max(MAX_BODY_BYTES)).route(
        "/upload",
        post(upload::upload).layer(DefaultBodyLimit::max(MAX_UPLOAD_BYTES)),
    )
}

/// The same of compression.
fn compressed() -> Router {
    Router::new()
        .route("/listing/{seed}", get(listing))
        .layer(CompressionLayer::new())
}

async fn index() -> &'static str {
    services_contract::GREETING
}

async fn thing(Path(id): Path<String>) -> String {
    id
}

async fn layers(counted: Option<Extension<Layers>>) -> String {
    counted.map_or(0, |Extension(Layers(count))| count).to_string()
}

async fn auth(headers: HeaderMap) -> Result<Json<Claims>, (StatusCode, String)> {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let claims = services_contract::claims(authorization);
    claims
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

async fn websocket(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(websocket::echo)
}

async fn not_found() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "no such path")
}

async fn method_not_allowed() -> (StatusCode, &'static str) {
    (StatusCode::METHOD_NOT_ALLOWED, "not with this method")
}
