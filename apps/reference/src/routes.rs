//! The contract by hand: one `match`, as in hyper's guide.

use std::convert::Infallible;

use hyper::{
    Method, Request, StatusCode,
    body::Incoming,
    header::{ALLOW, HeaderValue},
};
use tokio::{task, time};

use crate::{
    exchange::{Answer, Refusal, discard, json, read_json, text},
    workloads::{self, CpuQuery, Hello, TIMED},
};

pub async fn answer(request: Request<Incoming>) -> Result<Answer, Infallible> {
    Ok(route(request).await.unwrap_or_else(Answer::from))
}

async fn route(request: Request<Incoming>) -> Result<Answer, Refusal> {
    let (head, body) = request.into_parts();
    match (&head.method, head.uri.path()) {
        (&Method::GET | &Method::HEAD, "/") => Ok(text(StatusCode::OK, workloads::GREETING)),
        (&Method::GET | &Method::HEAD, "/hello") => json(&Hello::new()),
        (&Method::GET | &Method::HEAD, "/heavy") => json(&workloads::heavy()),
        (&Method::GET | &Method::HEAD, "/cpu") => cpu(head.uri.query()),
        (&Method::GET | &Method::HEAD, "/ram") => json(&workloads::ram()),
        (&Method::POST, "/test/simple") => {
            let payload = read_json(&head.headers, body).await?;
            json(&workloads::greet(&payload))
        }
        (&Method::POST, "/test/timed") => {
            let payload = read_json(&head.headers, body).await?;
            time::sleep(TIMED).await;
            json(&workloads::greet(&payload))
        }
        (&Method::POST, "/test/bcrypt") => {
            let payload = read_json(&head.headers, body).await?;
            let hash = task::spawn_blocking(move || workloads::bcrypt(&payload))
                .await
                .map_err(Refusal::internal)?;
            json(&hash.map_err(Refusal::internal)?)
        }
        (&Method::POST, "/test/bcrypt-inline") => {
            let payload = read_json(&head.headers, body).await?;
            json(&workloads::bcrypt(&payload).map_err(Refusal::internal)?)
        }
        (_, path) => {
            discard(body).await;
            unserved(path)
        }
    }
}

fn cpu(query: Option<&str>) -> Result<Answer, Refusal> {
    let query: CpuQuery = serde_urlencoded::from_str(query.unwrap_or_default())
        .map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error))?;
    json(&workloads::fib(query.n))
}

/// A path that is known, but not with this method; or one that is not known.
fn unserved(path: &str) -> Result<Answer, Refusal> {
    let allowed = match path {
        "/" | "/hello" | "/heavy" | "/cpu" | "/ram" => "GET, HEAD",
        "/test/simple" | "/test/timed" | "/test/bcrypt" | "/test/bcrypt-inline" => "POST",
        _ => return Err(Refusal::new(StatusCode::NOT_FOUND, "no such path")),
    };
    let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "not with this method");
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    Ok(answer)
}
