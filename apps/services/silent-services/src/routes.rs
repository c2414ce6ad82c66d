//! The contract in Silent's own words. Its own answers to what is malformed or unknown have a body.

use services_contract::{Document, MAX_BODY_BYTES, Order, Settings};
use silent::{
    Response, Result, SilentError, StatusCode,
    extractor::Path,
    header::AUTHORIZATION,
    middlewares::Compression,
    prelude::{Request, Route},
};
use silent_app::Json;

use crate::{
    middleware::{Layers, layered},
    pieces,
};

pub fn routes(settings: &Settings) -> Route {
    let root = Route::new_root()
        .get(index)
        .append(Route::new("auth").get(auth))
        .append(Route::new("validate").post(validate))
        .append(Route::new("json").post(document))
        .append(Route::new("middleware").get(layers))
        .append(Route::new("listing/<seed:u32>").hook(Compression::new()).get(listing))
        .append(Route::new("stream/<seed:u32>").get(pieces::streamed))
        .append(Route::new("events/<seed:u32>").get(pieces::events));
    // Nested as in <https://github.com/silent-rs/silent/blob/main/silent/src/route/readme.md>.
    let root = services_contract::areas(settings.routes).fold(root, |root, (area, routes)| {
        let area = Route::new(area.path().trim_start_matches('/'));
        root.append(routes.map(child).fold(area, Route::append))
    });
    layered(with_files(root, settings), settings.layers)
}

fn child(route: services_contract::Route) -> Route {
    let child = Route::new(route.path_in_area("<id>").trim_start_matches('/'));
    if route.has_parameter() {
        child.get(thing)
    } else {
        child.get(move |_: Request| async move { Ok(Response::text(&route.number.to_string())) })
    }
}

/// Without the folder, making its handler would be a panic.
fn with_files(root: Route, settings: &Settings) -> Route {
    match settings.files.to_str() {
        Some(folder) if settings.files.is_dir() => root.with_static_in_url("static", folder),
        _ => root,
    }
}

/// A `&str` by itself would be answered as JSON.
async fn index(_: Request) -> Result<Response> {
    Ok(Response::text(services_contract::GREETING))
}

async fn thing(Path(id): Path<String>) -> Result<Response> {
    Ok(Response::text(&id))
}

async fn layers(request: Request) -> Result<Response> {
    let counted = request.extensions().get::<Layers>();
    Ok(Response::text(&counted.map_or(0, |Layers(count)| *count).to_string()))
}

async fn auth(request: Request) -> Result<Response> {
    let authorization = request.headers().get(AUTHORIZATION);
    let claims = services_contract::claims(authorization.and_then(|value| value.to_str().ok()));
    claims
        .map(|claims| Response::json(&claims))
        .map_err(|reason| SilentError::business_error(StatusCode::UNAUTHORIZED, reason.to_string()))
}

async fn validate(Json(order): Json<Order, MAX_BODY_BYTES>) -> Result<Response> {
    Ok(match order.total() {
        Ok(total) => Response::json(&total),
        Err(wrong) => Response::json(&wrong).with_status(StatusCode::UNPROCESSABLE_ENTITY),
    })
}

async fn document(Json(document): Json<Document, MAX_BODY_BYTES>) -> Result<Response> {
    Ok(Response::json(&document))
}

async fn listing(Path(seed): Path<u32>) -> Result<Response> {
    Ok(Response::json(&services_contract::listing(seed)))
}
