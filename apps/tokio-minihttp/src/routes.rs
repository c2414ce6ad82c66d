//! The contract by hand: one `match`.

use bytes::Bytes;
use contract::{CpuQuery, Hello, Payload, TIMED};
use http::{
    HeaderMap, Method, Request, StatusCode,
    header::{ALLOW, CONTENT_TYPE, HeaderValue},
};
use tokio::{task, time};

use tokio_minihttp_app::answer::{Answer, Refusal, json, text};

pub async fn answer(request: Request<Bytes>) -> Answer {
    route(&request).await.unwrap_or_else(Answer::from)
}

async fn route(request: &Request<Bytes>) -> Result<Answer, Refusal> {
    match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/") => Ok(text(StatusCode::OK, contract::GREETING)),
        (&Method::GET | &Method::HEAD, "/hello") => json(&Hello::new()),
        (&Method::GET | &Method::HEAD, "/heavy") => json(&contract::heavy()),
        (&Method::GET | &Method::HEAD, "/cpu") => cpu(request.uri().query()),
        (&Method::GET | &Method::HEAD, "/ram") => json(&contract::ram()),
        (&Method::POST, "/test/simple") => json(&contract::greet(&payload(request)?)),
        (&Method::POST, "/test/timed") => {
            let payload = payload(request)?;
            time::sleep(TIMED).await;
            json(&contract::greet(&payload))
        }
        (&Method::POST, "/test/bcrypt") => {
            let payload = payload(request)?;
            let hash = task::spawn_blocking(move || contract::bcrypt(&payload)).await;
            let hash = hash.map_err(|error| Refusal::new(500, error))?;
            json(&hash.map_err(|error| Refusal::new(500, error))?)
        }
        (&Method::POST, "/test/bcrypt-inline") => {
            let hash = contract::bcrypt(&payload(request)?);
            json(&hash.map_err(|error| Refusal::new(500, error))?)
        }
        (_, path) => unserved(path),
    }
}

fn cpu(query: Option<&str>) -> Result<Answer, Refusal> {
    let query: CpuQuery =
        serde_urlencoded::from_str(query.unwrap_or_default()).map_err(|error| Refusal::new(400, error))?;
    json(&contract::fib(query.n))
}

fn payload(request: &Request<Bytes>) -> Result<Payload, Refusal> {
    if !is_json(request.headers()) {
        return Err(Refusal::new(415, "want content-type: application/json"));
    }
    serde_json::from_slice(request.body()).map_err(|error| Refusal::new(400, error))
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|text| text.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// A path that is known, but not with this method; or one that is not known.
fn unserved(path: &str) -> Result<Answer, Refusal> {
    let allowed = match path {
        "/" | "/hello" | "/heavy" | "/cpu" | "/ram" => "GET, HEAD",
        "/test/simple" | "/test/timed" | "/test/bcrypt" | "/test/bcrypt-inline" => "POST",
        _ => return Err(Refusal::new(404, "no such path")),
    };
    let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "not with this method");
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    Ok(answer)
}
