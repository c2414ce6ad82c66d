//! The contract by hand: one `match`.

use contract::{CpuQuery, Hello, Payload, TIMED};
use tokio::{task, time};

use crate::{
    request::Request,
    response::{Refusal, Response, without_body},
};

pub async fn answer(request: &Request<'_>, output: &mut Vec<u8>) {
    let start = output.len();
    let is_head = request.method == "HEAD";
    let method = if is_head { "GET" } else { request.method };
    if let Err(refusal) = route(method, request, Response::new(output, request.close)).await {
        Response::new(output, request.close).refusal(&refusal);
    }
    if is_head {
        without_body(output, start);
    }
}

/// Writes the answer, or nothing and says why.
async fn route(method: &str, request: &Request<'_>, response: Response<'_>) -> Result<(), Refusal> {
    match (method, request.path) {
        ("GET", "/") => response.text(contract::GREETING),
        ("GET", "/hello") => response.json(&Hello::new()),
        ("GET", "/heavy") => response.json(&contract::heavy()),
        ("GET", "/cpu") => {
            let query: CpuQuery =
                serde_urlencoded::from_str(request.query).map_err(|error| Refusal::malformed(&error))?;
            response.json(&contract::fib(query.n));
        }
        ("GET", "/ram") => response.json(&contract::ram()),
        ("POST", "/test/simple") => response.json(&contract::greet(&payload(request)?)),
        ("POST", "/test/timed") => {
            let payload = payload(request)?;
            time::sleep(TIMED).await;
            response.json(&contract::greet(&payload));
        }
        ("POST", "/test/bcrypt") => {
            let payload = payload(request)?;
            let hash = task::spawn_blocking(move || contract::bcrypt(&payload)).await;
            let hash = hash.map_err(|error| Refusal::internal(&error))?;
            response.json(&hash.map_err(|error| Refusal::internal(&error))?);
        }
        ("POST", "/test/bcrypt-inline") => {
            let hash = contract::bcrypt(&payload(request)?);
            response.json(&hash.map_err(|error| Refusal::internal(&error))?);
        }
        (_, "/" | "/hello" | "/heavy" | "/cpu" | "/ram") => return Err(Refusal::method("GET, HEAD")),
        (_, "/test/simple" | "/test/timed" | "/test/bcrypt" | "/test/bcrypt-inline") => {
            return Err(Refusal::method("POST"));
        }
        _ => return Err(Refusal::NOT_FOUND),
    }
    Ok(())
}

fn payload(request: &Request<'_>) -> Result<Payload, Refusal> {
    if !request.json {
        return Err(Refusal::NOT_JSON);
    }
    serde_json::from_slice(request.body).map_err(|error| Refusal::malformed(&error))
}
