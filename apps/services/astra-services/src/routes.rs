//! The contract by hand: one `match`.

use astra::{Request, Response};
use services_contract::Order;

use crate::exchange::{Refusal, json, read_json, text};

pub fn answer(request: Request) -> Response {
    route(request).unwrap_or_else(Response::from)
}

fn route(request: Request) -> Result<Response, Refusal> {
    match (request.method().as_str(), request.uri().path()) {
        ("GET" | "HEAD", "/") => Ok(text(services_contract::GREETING)),
        ("GET" | "HEAD", "/auth") => auth(&request),
        ("POST", "/validate") => match read_json::<Order>(request)?.total() {
            Ok(total) => json(200, &total),
            Err(wrong) => json(422, &wrong),
        },
        (_, "/" | "/auth" | "/validate") => Err(Refusal::new(405, "not with this method")),
        _ => Err(Refusal::new(404, "no such path")),
    }
}

fn auth(request: &Request) -> Result<Response, Refusal> {
    let authorization = request.headers().get("authorization");
    let authorization = authorization.and_then(|value| value.to_str().ok());
    let claims = services_contract::claims(authorization).map_err(|reason| Refusal::new(401, reason))?;
    json(200, &claims)
}
