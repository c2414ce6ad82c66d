//! The contract by hand: one `match`.

use astra::{Request, Response};

use crate::exchange::{Refusal, json, text};

pub fn answer(request: &Request) -> Response {
    route(request).unwrap_or_else(Response::from)
}

fn route(request: &Request) -> Result<Response, Refusal> {
    match (request.method().as_str(), request.uri().path()) {
        ("GET" | "HEAD", "/") => Ok(text(services_contract::GREETING)),
        ("GET" | "HEAD", "/auth") => auth(request),
        (_, "/" | "/auth") => Err(Refusal::new(405, "not with this method")),
        _ => Err(Refusal::new(404, "no such path")),
    }
}

fn auth(request: &Request) -> Result<Response, Refusal> {
    let authorization = request.headers().get("authorization");
    let authorization = authorization.and_then(|value| value.to_str().ok());
    let claims = services_contract::claims(authorization).map_err(|reason| Refusal::new(401, reason))?;
    json(&claims)
}
