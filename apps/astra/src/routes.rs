//! The contract by hand: one `match`. A handler may block, and that is how it sleeps.

use std::thread;

use astra::{Request, Response};
use contract::{CpuQuery, Hello, TIMED};

use crate::exchange::{Refusal, json, read_json, text};

pub fn answer(request: Request) -> Response {
    route(request).unwrap_or_else(Response::from)
}

fn route(request: Request) -> Result<Response, Refusal> {
    match (request.method().as_str(), request.uri().path()) {
        ("GET" | "HEAD", "/") => Ok(text(contract::GREETING)),
        ("GET" | "HEAD", "/hello") => json(&Hello::new()),
        ("GET" | "HEAD", "/heavy") => json(&contract::heavy()),
        ("GET" | "HEAD", "/cpu") => cpu(request.uri().query()),
        ("GET" | "HEAD", "/ram") => json(&contract::ram()),
        ("POST", "/test/simple") => json(&contract::greet(&read_json(request)?)),
        ("POST", "/test/timed") => {
            let payload = read_json(request)?;
            thread::sleep(TIMED);
            json(&contract::greet(&payload))
        }
        // There is no other pool than the one whose threads handle requests.
        ("POST", "/test/bcrypt" | "/test/bcrypt-inline") => {
            json(&contract::bcrypt(&read_json(request)?).map_err(Refusal::internal)?)
        }
        (_, "/" | "/hello" | "/heavy" | "/cpu" | "/ram") => Err(Refusal::new(405, "not with this method")),
        (_, "/test/simple" | "/test/timed" | "/test/bcrypt" | "/test/bcrypt-inline") => {
            Err(Refusal::new(405, "not with this method"))
        }
        _ => Err(Refusal::new(404, "no such path")),
    }
}

fn cpu(query: Option<&str>) -> Result<Response, Refusal> {
    let query: CpuQuery = serde_urlencoded::from_str(query.unwrap_or_default()).map_err(Refusal::malformed)?;
    json(&contract::fib(query.n))
}
