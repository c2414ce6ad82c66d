//! The contract in Cot's own words. Its own answers to what is malformed, unknown or of a wrong method have a body.

use cot::{
    Body, StatusCode,
    json::Json,
    request::{Request, RequestHead, extractors::Path},
    response::{IntoResponse as _, Response},
    router::{
        Route, Router,
        method::{get, post},
    },
};
use cot_app::LimitedJson;
use futures_util::{StreamExt as _, stream::iter};
use services_contract::{CHUNKS, Document, MAX_BODY_BYTES, Order};

use crate::{middleware::Layers, upload::upload};

pub fn router(routes: u32) -> Router {
    let endpoints = [
        Route::with_handler("/", get(index)),
        Route::with_handler("/auth", get(auth)),
        Route::with_handler("/validate", post(validate)),
        Route::with_handler("/json", post(json)),
        Route::with_handler("/upload", post(upload)),
        Route::with_handler("/middleware", get(layers)),
        Route::with_handler("/stream/{seed}", get(stream)),
    ];
    // A common prefix is a router of its own: <https://docs.rs/cot/0.7.0/cot/router/struct.Route.html#method.with_router>.
    let areas = services_contract::areas(routes).map(|(area, routes)| {
        let things = Router::with_urls(routes.map(registered).collect::<Vec<_>>());
        Route::with_router(&area.path(), things)
    });
    Router::with_urls(endpoints.into_iter().chain(areas).collect::<Vec<_>>())
}

fn registered(route: services_contract::Route) -> Route {
    let path = route.path_in_area("{id}");
    if route.has_parameter() {
        Route::with_handler(&path, get(thing))
    } else {
        let number = route.number;
        Route::with_handler(&path, get(move || async move { number.to_string() }))
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

async fn auth(head: RequestHead) -> cot::Result<Response> {
    let authorization = head.headers.get("authorization").and_then(|value| value.to_str().ok());
    match services_contract::claims(authorization) {
        Ok(claims) => Json(claims).into_response(),
        Err(reason) => reason.to_string().with_status(StatusCode::UNAUTHORIZED).into_response(),
    }
}

async fn validate(LimitedJson(order): LimitedJson<Order, MAX_BODY_BYTES>) -> cot::Result<Response> {
    match order.total() {
        Ok(total) => Json(total).into_response(),
        Err(wrong) => Json(wrong)
            .with_status(StatusCode::UNPROCESSABLE_ENTITY)
            .into_response(),
    }
}

async fn json(LimitedJson(document): LimitedJson<Document, MAX_BODY_BYTES>) -> Json<Document> {
    Json(document)
}

async fn stream(Path(seed): Path<u32>) -> cot::Result<Response> {
    let chunks = iter(0..CHUNKS).map(move |index| Ok(services_contract::chunk(seed, index).into()));
    Response::new(Body::streaming(chunks))
        .with_content_type("text/plain; charset=utf-8")
        .into_response()
}
