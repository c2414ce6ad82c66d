//! The contract in Ohkami's own words. It has no answer of its own to a wrong method: that is a path unknown to it.

use ohkami::{
    Ohkami, Response, Route as _,
    claw::{Json, Path, header::Authorization, status::UnprocessableEntity},
    fang::Context,
};
use ohkami_app::{Limit, NotFound};
use services_contract::{
    Claims, Document, MAX_BODY_BYTES, MAX_UPLOAD_BYTES, Order, Route, Settings, Total, WrongFields,
};

use crate::{
    events, files,
    middleware::{Layers, layered},
    upload, websocket,
};

/// An Ohkami is complete when it is made: each route makes a new one, around that with the routes before. Paths live for ever.
pub fn app(settings: &Settings) -> Ohkami {
    let endpoints = Ohkami::new((
        "/".GET(index),
        "/auth".GET(auth),
        // The limit stands where a body is read, so that the others do not pay for it.
        "/validate".POST((Limit::<MAX_BODY_BYTES>, validate)),
        "/json".POST((Limit::<MAX_BODY_BYTES>, json)),
        "/upload".POST((Limit::<MAX_UPLOAD_BYTES>, upload::upload)),
        "/events/:seed".GET(events::events),
        "/websocket".GET(websocket::websocket),
        "/middleware".By(layered(Ohkami::new("/".GET(layers)), settings.layers)),
    ));
    let endpoints = files::with_files(endpoints, &settings.files);
    let app = services_contract::routes(settings.routes).fold(endpoints, with_route);
    Ohkami::new((NotFound, "/".By(app)))
}

fn with_route(app: Ohkami, route: Route) -> Ohkami {
    let path: &'static str = route.path(":id").leak();
    let number = route.number;
    let route = if route.has_parameter() {
        path.GET(thing)
    } else {
        path.GET(move || async move { number.to_string() })
    };
    Ohkami::new(("/".By(app), route))
}

async fn index() -> &'static str {
    services_contract::GREETING
}

async fn thing(Path(id): Path<String>) -> String {
    id
}

async fn layers(counted: Option<Context<'_, Layers>>) -> String {
    counted.map_or(0, |Context(Layers(count))| *count).to_string()
}

async fn auth(authorization: Option<Authorization<&str>>) -> Result<Json<Claims>, Response> {
    let claims = services_contract::claims(authorization.map(|Authorization(value)| value));
    claims
        .map(Json)
        .map_err(|reason| Response::Unauthorized().with_text(reason.to_string()))
}

async fn validate(Json(order): Json<Order>) -> Result<Json<Total>, UnprocessableEntity<Json<WrongFields>>> {
    order
        .total()
        .map(Json)
        .map_err(|wrong| UnprocessableEntity(Json(wrong)))
}

async fn json(Json(document): Json<Document>) -> Json<Document> {
    Json(document)
}
