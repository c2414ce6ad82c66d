//! The contract in Poem's own words. Its own answers to what is malformed, unknown or too large have a body.

use poem::{
    Endpoint, EndpointExt as _, IntoEndpoint, IntoResponse as _, Request, Response, Route, RouteMethod,
    endpoint::make_sync,
    get, handler,
    http::{HeaderMap, StatusCode, header::AUTHORIZATION},
    middleware::{Compression, SizeLimit},
    post,
    web::{Json, Path},
};
use services_contract::{Document, Listing, MAX_BODY_BYTES, MAX_UPLOAD_BYTES, Order, Settings};

use crate::{
    files::files,
    middleware::{Layers, layered},
    pieces,
    upload::upload,
    websocket::websocket,
};

pub fn routes(settings: &Settings) -> Route {
    let routes = Route::new()
        .at("/", get(index))
        .at("/auth", get(auth))
        .at("/validate", post_limited(validate, MAX_BODY_BYTES))
        .at("/json", post_limited(json, MAX_BODY_BYTES))
        .at("/upload", post_limited(upload, MAX_UPLOAD_BYTES))
        .at("/middleware", layered(get(layers), settings.layers))
        .at("/listing/:seed", get(listing).with(Compression::new()))
        .at("/stream/:seed", get(pieces::stream))
        .at("/events/:seed", get(pieces::events))
        .at("/websocket", get(websocket))
        .nest("/static", files(&settings.files));
    services_contract::routes(settings.routes).fold(routes, |routes, route| {
        let number = route.number;
        let endpoint = if route.has_parameter() {
            get(thing)
        } else {
            get(make_sync(move |_| number.to_string()))
        };
        routes.at(route.path(":id"), endpoint)
    })
}

/// By themselves, `Json` and `Multipart` read a body of any size. The middleware goes by `Content-Length`, and answers 411 where there is
/// none.
fn post_limited(endpoint: impl IntoEndpoint<Endpoint: Endpoint + 'static>, bytes: usize) -> RouteMethod {
    post(endpoint.with(SizeLimit::new(bytes)))
}

#[handler]
fn index() -> &'static str {
    services_contract::GREETING
}

#[handler]
fn thing(Path(id): Path<String>) -> String {
    id
}

#[handler]
fn layers(request: &Request) -> String {
    let counted = request.data::<Layers>();
    counted.map_or(0, |Layers(count)| *count).to_string()
}

/// Not by `Error::from_string`, whose answer has no `Content-Type`.
#[handler]
fn auth(headers: &HeaderMap) -> Response {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    match services_contract::claims(authorization) {
        Ok(claims) => Json(claims).into_response(),
        Err(reason) => (StatusCode::UNAUTHORIZED, reason.to_string()).into_response(),
    }
}

#[handler]
fn validate(Json(order): Json<Order>) -> Response {
    match order.total() {
        Ok(total) => Json(total).into_response(),
        Err(wrong) => (StatusCode::UNPROCESSABLE_ENTITY, Json(wrong)).into_response(),
    }
}

#[handler]
fn json(Json(document): Json<Document>) -> Json<Document> {
    Json(document)
}

#[handler]
fn listing(Path(seed): Path<u32>) -> Json<Listing> {
    Json(services_contract::listing(seed))
}
