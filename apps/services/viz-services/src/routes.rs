//! The contract in Viz's own words. Its own answers to what is malformed or too large have a body.

use services_contract::{Claims, Document, Listing, MAX_BODY_BYTES, Order, Settings};
use viz::{
    HandlerExt as _, IntoResponse, Request, RequestExt as _, RequestLimitsExt as _, Response, Result, Router,
    StatusCode,
    header::AUTHORIZATION,
    middleware::{compression, limits},
    types::{Json, Limits, Payload as _},
};

use crate::{
    files,
    middleware::{Layers, layered},
    pieces, websocket,
};

pub fn router(settings: &Settings) -> Router {
    let router = Router::new()
        .get("/", index)
        .get("/auth", auth)
        .nest("/", with_bodies())
        .get("/middleware", layers)
        .get("/listing/:seed", listing.with(compression::Config))
        .get("/stream/:seed", pieces::stream)
        .get("/events/:seed", pieces::events)
        .get("/websocket", websocket::websocket);
    let router = files::served(router, &settings.files);
    let router = services_contract::routes(settings.routes).fold(router, |router, route| {
        let (path, number) = (route.path(":id"), route.number);
        if route.has_parameter() {
            router.get(path, thing)
        } else {
            router.get(path, move |_: Request| async move { Ok(number.to_string()) })
        }
    });
    // Its own answer to an unknown path has no body. A wrong method comes here as well.
    layered(router.any("/*", not_found), settings.layers)
}

/// The limit stands where a body is read, so that the others do not pay for it.
fn with_bodies() -> Router {
    let max = Limits::default().set(Json::<()>::NAME, MAX_BODY_BYTES as u64);
    Router::new()
        .post("/validate", validate)
        .post("/json", json)
        .with(limits::Config::default().limits(max))
}

async fn index(_: Request) -> Result<&'static str> {
    Ok(services_contract::GREETING)
}

async fn thing(request: Request) -> Result<String> {
    Ok(request.param("id")?)
}

async fn layers(request: Request) -> Result<String> {
    let counted = request.extensions().get::<Layers>();
    Ok(counted.map_or(0, |Layers(count)| *count).to_string())
}

async fn auth(request: Request) -> Result<Json<Claims>> {
    let authorization = request.headers().get(AUTHORIZATION);
    let authorization = authorization.and_then(|value| value.to_str().ok());
    services_contract::claims(authorization)
        .map(Json)
        .map_err(|reason| (StatusCode::UNAUTHORIZED, reason.to_string()).into_error())
}

async fn validate(mut request: Request) -> Result<Response> {
    let order: Order = request.json_with_limit().await?;
    Ok(match order.total() {
        Ok(total) => Json(total).into_response(),
        Err(wrong) => (StatusCode::UNPROCESSABLE_ENTITY, Json(wrong)).into_response(),
    })
}

async fn json(mut request: Request) -> Result<Json<Document>> {
    let document = request.json_with_limit().await?;
    Ok(Json(document))
}

async fn listing(request: Request) -> Result<Json<Listing>> {
    Ok(Json(services_contract::listing(seed(&request)?)))
}

/// Its own answer to a parameter that cannot be read has status 500.
pub fn seed(request: &Request) -> Result<u32> {
    let seed = request.param("seed");
    seed.map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()).into_error())
}

pub async fn not_found(_: Request) -> Result<impl IntoResponse> {
    Ok((StatusCode::NOT_FOUND, "no such path, or not with this method"))
}
