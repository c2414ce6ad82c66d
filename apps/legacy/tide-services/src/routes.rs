//! The contract in Tide's own words.

use std::io;

use services_contract::{Document, Order, Route, Settings};
use tide::{Body, Error, Request, Response, Result, Server, StatusCode, utils::After};

use crate::{
    body_limit::BodyLimit,
    middleware::{Layers, add_layers},
    pieces,
};

pub fn app(settings: &Settings) -> io::Result<Server<()>> {
    let mut app = tide::new();
    app.with(After(with_body));
    add_layers(&mut app, settings.layers);
    app.at("/").get(index);
    app.at("/auth").get(auth);
    // The limit stands where a body is read, so that the others do not pay for it.
    app.at("/validate").with(BodyLimit).post(validate);
    app.at("/json").with(BodyLimit).post(document);
    app.at("/middleware").get(layers);
    app.at("/stream/:seed").get(pieces::streamed);
    app.at("/events/:seed").get(pieces::events);
    // Without that folder, it would be an error.
    if settings.files.is_dir() {
        app.at("/static").serve_dir(&settings.files)?;
    }
    for route in services_contract::routes(settings.routes) {
        add_route(&mut app, route);
    }
    Ok(app)
}

fn add_route(app: &mut Server<()>, route: Route) {
    let number = route.number;
    let mut at = app.at(&route.path(":id"));
    if route.has_parameter() {
        at.get(thing);
    } else {
        at.get(move |_| async move { Ok(number.to_string()) });
    }
}

async fn index(_: Request<()>) -> Result<&'static str> {
    Ok(contract::GREETING)
}

async fn thing(request: Request<()>) -> Result<String> {
    request.param("id").map(str::to_owned)
}

async fn layers(request: Request<()>) -> Result<String> {
    let counted = request.ext::<Layers>();
    Ok(counted.map_or(0, |Layers(count)| *count).to_string())
}

async fn auth(request: Request<()>) -> Result<Body> {
    let authorization = request.header("authorization").map(|values| values.last().as_str());
    let claims = services_contract::claims(authorization);
    Body::from_json(&claims.map_err(|reason| Error::new(StatusCode::Unauthorized, reason))?)
}

async fn validate(mut request: Request<()>) -> Result<Response> {
    let order: Order = request.body_json().await?;
    let (status, body) = match order.total() {
        Ok(total) => (StatusCode::Ok, Body::from_json(&total)?),
        Err(wrong) => (StatusCode::UnprocessableEntity, Body::from_json(&wrong)?),
    };
    Ok(Response::builder(status).body(body).build())
}

async fn document(mut request: Request<()>) -> Result<Body> {
    let document: Document = request.body_json().await?;
    Body::from_json(&document)
}

/// Its own answer to a parameter that is another type has status 500.
pub fn seed(request: &Request<()>) -> Result<u32> {
    let seed = request.param("seed")?.parse();
    seed.map_err(|error| Error::new(StatusCode::BadRequest, error))
}

/// Tide's own answers to what goes wrong have no body.
async fn with_body(mut response: Response) -> Result {
    if response.is_empty() == Some(true) && response.status().is_client_error() {
        let text = response
            .error()
            .map_or_else(|| response.status().canonical_reason().to_owned(), ToString::to_string);
        response.set_body(text);
    }
    Ok(response)
}
