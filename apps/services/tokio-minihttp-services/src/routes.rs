//! The contract by hand: one `match`.

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, header::AUTHORIZATION};
use serde::de::DeserializeOwned;
use services_contract::{Document, Order};
use tokio_minihttp_app::answer::{Answer, Refusal, json, text};

pub async fn answer(request: Request<Bytes>) -> Answer {
    route(&request).unwrap_or_else(Answer::from)
}

fn route(request: &Request<Bytes>) -> Result<Answer, Refusal> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/") => Ok(text(StatusCode::OK, services_contract::GREETING)),
        (&Method::GET, "/auth") => auth(request.headers()),
        (&Method::POST, "/validate") => validate(&read_json(request)?),
        (&Method::POST, "/json") => json(&read_json::<Document>(request)?),
        (_, "/" | "/auth" | "/validate" | "/json") => Err(Refusal::new(405, "not with this method")),
        _ => Err(Refusal::new(404, "no such path")),
    }
}

fn auth(headers: &HeaderMap) -> Result<Answer, Refusal> {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let claims = services_contract::claims(authorization);
    json(&claims.map_err(|reason| Refusal::new(401, reason))?)
}

fn validate(order: &Order) -> Result<Answer, Refusal> {
    match order.total() {
        Ok(total) => json(&total),
        Err(wrong) => {
            let mut answer = json(&wrong)?;
            *answer.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(answer)
        }
    }
}

fn read_json<T: DeserializeOwned>(request: &Request<Bytes>) -> Result<T, Refusal> {
    serde_json::from_slice(request.body()).map_err(|error| Refusal::new(400, error))
}
