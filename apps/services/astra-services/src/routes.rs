//! The contract by hand: one `match`.

use std::num::ParseIntError;

use astra::{Request, Response};

use crate::{
    exchange::{Refusal, json, text, text_in_pieces},
    pieces::Chunks,
};

pub fn answer(request: &Request) -> Response {
    route(request).unwrap_or_else(Response::from)
}

fn route(request: &Request) -> Result<Response, Refusal> {
    let path = request.uri().path();
    match (request.method().as_str(), path) {
        ("GET" | "HEAD", "/") => Ok(text(services_contract::GREETING)),
        ("GET" | "HEAD", "/auth") => auth(request),
        (_, "/" | "/auth") => Err(Refusal::new(405, "not with this method")),
        (method, _) => match path.strip_prefix("/stream/") {
            Some(seed) if method == "GET" => stream(seed),
            Some(_) => Err(Refusal::new(405, "not with this method")),
            None => Err(Refusal::new(404, "no such path")),
        },
    }
}

fn stream(seed: &str) -> Result<Response, Refusal> {
    let seed = seed.parse().map_err(|error: ParseIntError| Refusal::new(400, error))?;
    Ok(text_in_pieces(Chunks::new(seed)))
}

fn auth(request: &Request) -> Result<Response, Refusal> {
    let authorization = request.headers().get("authorization");
    let authorization = authorization.and_then(|value| value.to_str().ok());
    let claims = services_contract::claims(authorization).map_err(|reason| Refusal::new(401, reason))?;
    json(&claims)
}
