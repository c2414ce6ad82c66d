//! The contract in Dropshot's own words. Its own answers to what is malformed or unknown have a body.

use dropshot::{
    ApiDescription, ApiDescriptionRegisterError, ApiEndpoint, ApiEndpointVersions, Body, CONTENT_TYPE_JSON,
    ClientErrorStatusCode, Header, HttpError, HttpResponse as _, HttpResponseOk, Method, NoCompression, Path,
    RequestContext, endpoint,
};
use http::{Response, StatusCode, header::CONTENT_TYPE};
use services_contract::{Claims, Document, Listing, Order, Route, Total};

use crate::{
    body::Json,
    messages::{Authorization, Message, Refusal, Seed, Thing},
    pieces, upload, websocket,
};

type Answer<T> = Result<HttpResponseOk<Message<T>>, HttpError>;

pub fn api(routes: u32) -> Result<ApiDescription<()>, ApiDescriptionRegisterError> {
    let mut api = ApiDescription::new();
    api.register(index)?;
    api.register(auth)?;
    api.register(validate)?;
    api.register(document)?;
    api.register(listing)?;
    api.register(upload::received)?;
    api.register(pieces::streamed)?;
    api.register(websocket::echo)?;
    for route in services_contract::routes(routes) {
        api.register(endpoint_of(route))?;
    }
    Ok(api)
}

/// What the macro makes of a function, for one whose path is known only when the server starts.
fn endpoint_of(route: Route) -> ApiEndpoint<()> {
    let number = route.number;
    let (name, path, all) = (format!("thing{number}"), route.path("{id}"), ApiEndpointVersions::All);
    if route.has_parameter() {
        ApiEndpoint::new(name, thing, Method::GET, CONTENT_TYPE_JSON, &path, all)
    } else {
        let handler = move |_: RequestContext<()>| async move { text(number.to_string()) };
        ApiEndpoint::new(name, handler, Method::GET, CONTENT_TYPE_JSON, &path, all)
    }
}

async fn thing(_: RequestContext<()>, path: Path<Thing>) -> Result<Response<Body>, HttpError> {
    text(path.into_inner().id)
}

#[endpoint { method = GET, path = "/" }]
async fn index(_: RequestContext<()>) -> Result<Response<Body>, HttpError> {
    text(services_contract::GREETING)
}

#[endpoint { method = GET, path = "/auth" }]
async fn auth(_: RequestContext<()>, header: Header<Authorization>) -> Answer<Claims> {
    let claims = services_contract::claims(header.into_inner().authorization.as_deref());
    claims.map(|claims| HttpResponseOk(Message(claims))).map_err(|reason| {
        let status = ClientErrorStatusCode::UNAUTHORIZED;
        HttpError::for_client_error(None, status, reason.to_string())
    })
}

#[endpoint { method = POST, path = "/validate" }]
async fn validate(_: RequestContext<()>, Json(order): Json<Order>) -> Result<HttpResponseOk<Message<Total>>, Refusal> {
    let total = order.total().map_err(Refusal::Fields)?;
    Ok(HttpResponseOk(Message(total)))
}

#[endpoint { method = POST, path = "/json" }]
async fn document(_: RequestContext<()>, Json(document): Json<Document>) -> Result<Response<Body>, HttpError> {
    let mut response = HttpResponseOk(Message(document)).to_result()?;
    response.extensions_mut().insert(NoCompression);
    Ok(response)
}

#[endpoint { method = GET, path = "/listing/{seed}" }]
async fn listing(_: RequestContext<()>, path: Path<Seed>) -> Answer<Listing> {
    let listing = services_contract::listing(path.into_inner().seed);
    Ok(HttpResponseOk(Message(listing)))
}

/// What is not JSON is a response by hand, as in the example `index`.
fn text(text: impl Into<Body>) -> Result<Response<Body>, HttpError> {
    Ok(Response::builder()
        .status(StatusCode::OK)
        .header(CONTENT_TYPE, "text/plain")
        .body(text.into())?)
}
