//! The contract by hand: one `match`, as in hyper's guide.

use std::convert::Infallible;

use hyper::{
    HeaderMap, Method, Request, StatusCode,
    body::Incoming,
    header::{ALLOW, AUTHORIZATION, HeaderValue},
};
use hyper_app::exchange::{Answer, Refusal, discard, json, text};
use services_contract::{Document, Order};

use crate::{
    body::read_json,
    middleware::Layers,
    pieces::{Reply, stream, whole},
};

const STREAM: &str = "/stream/";

pub async fn answer(request: Request<Incoming>) -> Result<Reply, Infallible> {
    let reply = route(request).await;
    Ok(reply.unwrap_or_else(|refusal| whole(refusal.into())))
}

async fn route(request: Request<Incoming>) -> Result<Reply, Refusal> {
    let (head, body) = request.into_parts();
    let answer = match (&head.method, head.uri.path()) {
        (&Method::GET, "/") => Ok(text(StatusCode::OK, services_contract::GREETING)),
        (&Method::GET, "/middleware") => {
            let Layers(count) = head.extensions.get().copied().unwrap_or_default();
            Ok(text(StatusCode::OK, count.to_string()))
        }
        (&Method::GET, "/auth") => auth(&head.headers),
        (&Method::POST, "/validate") => validate(&read_json(body).await?),
        (&Method::POST, "/json") => json(&read_json::<Document>(body).await?),
        (method, path) => {
            if method == Method::GET
                && let Some(seed) = path.strip_prefix(STREAM)
            {
                return stream(seed);
            }
            discard(body).await;
            unserved(path)
        }
    };
    answer.map(whole)
}

fn auth(headers: &HeaderMap) -> Result<Answer, Refusal> {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let claims = services_contract::claims(authorization);
    json(&claims.map_err(|reason| Refusal::new(StatusCode::UNAUTHORIZED, reason))?)
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

/// A path that is known, but not with this method; or one that is not known.
fn unserved(path: &str) -> Result<Answer, Refusal> {
    let allowed = match path {
        "/" | "/middleware" | "/auth" => "GET",
        "/validate" | "/json" => "POST",
        path if path.starts_with(STREAM) => "GET",
        _ => return Err(Refusal::new(StatusCode::NOT_FOUND, "no such path")),
    };
    let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "not with this method");
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    Ok(answer)
}
