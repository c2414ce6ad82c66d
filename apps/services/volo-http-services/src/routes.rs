//! The contract in Volo-HTTP's own words.

use services_contract::{Claims, Document, MAX_BODY_BYTES, MAX_UPLOAD_BYTES, Order, Settings};
use volo_http::{
    http::{
        StatusCode,
        header::{AUTHORIZATION, CONTENT_TYPE, HeaderName},
    },
    request::Request,
    response::Response,
    server::{
        IntoResponse as _,
        extract::Json,
        middleware::from_fn,
        param::PathParams,
        route::{Router, get, post},
    },
    utils::Extension,
};
use volo_http_app::limit;

use crate::{
    files,
    middleware::{Layers, layered},
    pieces, upload, websocket,
};

/// Volo-HTTP gives a text no type.
pub type Text<T> = ((HeaderName, &'static str), T);

pub fn router(settings: &Settings) -> Router {
    let router = Router::new()
        .route("/", get(index))
        .route("/auth", get(auth))
        .merge(with_bodies())
        .route("/middleware", get(layers))
        .route("/stream/{seed}", get(pieces::stream))
        .route("/events/{seed}", get(pieces::events))
        .route("/websocket", get(websocket::websocket))
        .merge(files::served(&settings.files));
    let router = services_contract::routes(settings.routes).fold(router, |router, route| {
        let number = route.number;
        let handler = if route.has_parameter() {
            get(thing)
        } else {
            get(move || async move { text(number.to_string()) })
        };
        router.route(route.path("{id}"), handler)
    });
    layered(router, settings.layers)
}

/// The limit stands where a body is read, so that the others do not pay for it.
fn with_bodies() -> Router {
    Router::new()
        .route("/validate", post(validate))
        .route("/json", post(json))
        .layer(from_fn(limit::<MAX_BODY_BYTES>))
        .route(
            "/upload",
            post(upload::upload).layer(from_fn(limit::<MAX_UPLOAD_BYTES>)),
        )
}

async fn index() -> Text<&'static str> {
    text(services_contract::GREETING)
}

async fn thing(PathParams(id): PathParams<String>) -> Text<String> {
    text(id)
}

async fn layers(counted: Option<Extension<Layers>>) -> Text<String> {
    text(counted.map_or(0, |Extension(Layers(count))| count).to_string())
}

async fn auth(request: Request) -> Result<Json<Claims>, (StatusCode, String)> {
    let authorization = request
        .headers()
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
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

async fn json(Json(document): Json<Document>) -> Json<Document> {
    Json(document)
}

pub fn text<T>(text: T) -> Text<T> {
    ((CONTENT_TYPE, "text/plain; charset=utf-8"), text)
}
