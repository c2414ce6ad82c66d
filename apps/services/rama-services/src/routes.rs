//! The contract in rama's own words. Its own answers to what is malformed have a body.

use rama::{
    Layer as _,
    http::{
        Request, Response, StatusCode,
        header::AUTHORIZATION,
        layer::compression::CompressionLayer,
        service::web::{
            IntoEndpointService as _, Router,
            extract::{Extension, Path},
            response::{IntoResponse as _, Json},
        },
    },
};
use rama_app::LimitedJson;
use services_contract::{Claims, Document, Listing, MAX_BODY_BYTES, Order, Settings};

use crate::{middleware::Layers, pieces, websocket::websocket};

pub fn router(settings: &Settings) -> Router {
    let router = Router::new()
        // Also for a wrong method, which rama does not distinguish from an unknown path, and for an unknown file. Its own 404 has no body.
        .with_not_found(not_found)
        .with_get("/", index)
        .with_get("/auth", auth)
        .with_post("/validate", validate)
        .with_post("/json", document)
        .with_get("/middleware", layers)
        .with_get(
            "/listing/{seed}",
            CompressionLayer::new().into_layer(listing.into_endpoint_service()),
        )
        .with_get("/stream/{seed}", pieces::stream)
        .with_get("/events/{seed}", pieces::events)
        .with_get("/websocket", websocket())
        .with_dir("/static", &settings.files);
    services_contract::routes(settings.routes).fold(router, |router, route| {
        let path = route.path("{id}");
        if route.has_parameter() {
            router.with_get(path, thing)
        } else {
            let number = route.number;
            router.with_get(path, move || async move { number.to_string() })
        }
    })
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

async fn auth(request: Request) -> Result<Json<Claims>, (StatusCode, String)> {
    let authorization = request.headers().get(AUTHORIZATION);
    let claims = services_contract::claims(authorization.and_then(|value| value.to_str().ok()));
    claims
        .map(Json)
        .map_err(|reason| (StatusCode::UNAUTHORIZED, reason.to_string()))
}

async fn validate(LimitedJson(order): LimitedJson<Order, MAX_BODY_BYTES>) -> Response {
    match order.total() {
        Ok(total) => Json(total).into_response(),
        Err(wrong) => (StatusCode::UNPROCESSABLE_ENTITY, Json(wrong)).into_response(),
    }
}

async fn document(LimitedJson(document): LimitedJson<Document, MAX_BODY_BYTES>) -> Json<Document> {
    Json(document)
}

async fn listing(Path(seed): Path<u32>) -> Json<Listing> {
    Json(services_contract::listing(seed))
}

async fn not_found() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "no such path")
}
