//! The contract in nickel's own words. It is synchronous: what blocks does so on the thread of its connection.
#![expect(clippy::result_large_err, reason = "what a handler of nickel returns")]

use std::io::Write as _;

use nickel::{
    Action, Halt, HttpRouter as _, MediaType, Middleware, MiddlewareResult, Mountable as _, Nickel, NickelError,
    Request, Response, StaticFilesHandler, status::StatusCode,
};
use serde::Serialize;
use serde_json::Value;
use services_contract::{CHUNKS, Document, Order, Route, Settings};

use crate::{
    body::{self, bad_request, discard},
    middleware::{self, add_layers},
};

/// Why a request is not served: the text goes to the client.
pub type Failure = (StatusCode, String);

pub fn server(settings: &Settings) -> Nickel {
    let mut server = Nickel::new();
    server.utilize(without_body);
    add_layers(&mut server, settings.layers);
    server.get("/", index);
    server.get("/auth", auth);
    server.post("/validate", validate);
    server.post("/json", document);
    server.get("/middleware", layers);
    server.get("/stream/:seed", streamed);
    server.mount("/static/", StaticFilesHandler::new(&settings.files));
    for route in services_contract::routes(settings.routes) {
        add_route(&mut server, route);
    }
    server.handle_error(write_message as fn(&mut NickelError<()>, &mut Request) -> Action);
    server
}

fn add_route(server: &mut Nickel, route: Route) {
    let path = route.path(":id");
    if route.has_parameter() {
        server.get(path, thing);
    } else {
        server.get(path, Number(route.number));
    }
}

/// What answers with its number.
struct Number(u32);

impl Middleware<()> for Number {
    fn invoke<'mw>(&'mw self, _: &mut Request<'mw, '_>, response: Response<'mw>) -> MiddlewareResult<'mw> {
        text(response, &self.0.to_string())
    }
}

fn index<'mw>(_: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    text(response, contract::GREETING)
}

fn thing<'mw>(request: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    text(response, request.param("id").unwrap_or_default())
}

fn layers<'mw>(request: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    text(response, &middleware::layers(request).to_string())
}

fn auth<'mw>(request: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    // By the bytes of the header: the type that nickel would have it in is one of its engine's, which it does not hand on.
    let authorization = request.origin.headers.get_raw("authorization");
    let authorization = authorization.and_then(<[_]>::first);
    let claims = services_contract::claims(authorization.and_then(|value| str::from_utf8(value).ok()));
    let claims = claims.map_err(|reason| (StatusCode::Unauthorized, reason.to_string()));
    answer(response, claims.and_then(|claims| json(&claims)))
}

fn validate<'mw>(request: &mut Request, mut response: Response<'mw>) -> MiddlewareResult<'mw> {
    let order = body::json::<Order>(request);
    let found = order.and_then(|order| match order.total() {
        Ok(total) => json(&total),
        Err(wrong) => {
            response.set(StatusCode::UnprocessableEntity);
            json(&wrong)
        }
    });
    answer(response, found)
}

fn document<'mw>(request: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    let document = body::json::<Document>(request);
    answer(response, document.and_then(|document| json(&document)))
}

/// What is written to a response that has begun is a chunk of it.
fn streamed<'mw>(request: &mut Request, mut response: Response<'mw>) -> MiddlewareResult<'mw> {
    let seed: u32 = match request.param("seed").unwrap_or_default().parse() {
        Ok(seed) => seed,
        Err(error) => return response.send(bad_request(&error)),
    };
    response.set(MediaType::Txt);
    let mut stream = response.start()?;
    for index in 0..CHUNKS {
        if let Err(error) = stream.write_all(&services_contract::chunk(seed, index)) {
            return stream.bail(error.to_string());
        }
    }
    Ok(Halt(stream))
}

fn text<'mw>(mut response: Response<'mw>, text: &str) -> MiddlewareResult<'mw> {
    response.set(MediaType::Txt);
    response.send(text)
}

fn answer(response: Response<'_>, found: Result<Value, Failure>) -> MiddlewareResult<'_> {
    match found {
        Ok(value) => response.send(value),
        Err(failure) => response.send(failure),
    }
}

/// As in nickel's example `json`.
fn json(value: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(value).map_err(|error| (StatusCode::InternalServerError, error.to_string()))
}

/// The body of a GET, of which no handler knows.
fn without_body<'mw>(request: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    if request.origin.method.as_ref() != "POST" {
        discard(request);
    }
    response.next_middleware()
}

/// nickel's own text for most that goes wrong is "Internal Server Error".
fn write_message(error: &mut NickelError<()>, request: &mut Request) -> Action {
    discard(request);
    if let Some(response) = &mut error.stream {
        // Where it cannot be written, there is nobody left to read it.
        let _ = response.write_all(error.message.as_bytes());
    }
    Halt(())
}
