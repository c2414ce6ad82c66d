//! The contract by hand: one `match`, as in the examples of `may_minihttp`.

use std::io;

use contract::{CpuQuery, Hello, MAX_BODY_BYTES, TIMED};
use may::{coroutine, go};
use may_minihttp::{HttpService, Request, Response};
use may_minihttp_app::{Refusal, json, read, read_json, text};

#[derive(Clone)]
pub struct Service;

impl HttpService for Service {
    fn call(&mut self, request: Request, response: &mut Response) -> io::Result<()> {
        // The engine sends a body whatever the method: HEAD is answered with nothing.
        let is_head = request.method() == "HEAD";
        if let Err(refusal) = route(request, response) {
            refusal.send(response);
        }
        if is_head {
            response.body("");
        }
        Ok(())
    }
}

fn route(request: Request<'_, '_, '_>, response: &mut Response<'_>) -> Result<(), Refusal> {
    let target = request.path();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    match (request.method(), path) {
        ("POST", "/test/simple") => json(response, &contract::greet(&read_json(request, MAX_BODY_BYTES)?)),
        ("POST", "/test/timed") => {
            let payload = read_json(request, MAX_BODY_BYTES)?;
            coroutine::sleep(TIMED);
            json(response, &contract::greet(&payload))
        }
        ("POST", "/test/bcrypt") => {
            let payload = read_json(request, MAX_BODY_BYTES)?;
            // may has no pool for work that blocks, and lets any coroutine compute; one of its own can be taken over by
            // a worker that has nothing to do.
            let hash = go!(move || contract::bcrypt(&payload)).join();
            let hash = hash.map_err(|_| Refusal::internal("the hash panicked"))?;
            json(response, &hash.map_err(Refusal::internal)?)
        }
        ("POST", "/test/bcrypt-inline") => {
            let hash = contract::bcrypt(&read_json(request, MAX_BODY_BYTES)?);
            json(response, &hash.map_err(Refusal::internal)?)
        }
        ("GET", "/") => read(request, MAX_BODY_BYTES).map(|_| text(response, contract::GREETING)),
        ("GET", "/hello") => read(request, MAX_BODY_BYTES).and_then(|_| json(response, &Hello::new())),
        ("GET", "/heavy") => read(request, MAX_BODY_BYTES).and_then(|_| json(response, &contract::heavy())),
        ("GET", "/cpu") => {
            let query = serde_urlencoded::from_str::<CpuQuery>(query).map_err(Refusal::malformed);
            read(request, MAX_BODY_BYTES)?;
            json(response, &contract::fib(query?.n))
        }
        ("GET", "/ram") => read(request, MAX_BODY_BYTES).and_then(|_| json(response, &contract::ram())),
        (_, "/" | "/hello" | "/heavy" | "/cpu" | "/ram") => {
            read(request, MAX_BODY_BYTES).and_then(|_| Err(Refusal::method()))
        }
        (_, "/test/simple" | "/test/timed" | "/test/bcrypt" | "/test/bcrypt-inline") => {
            read(request, MAX_BODY_BYTES).and_then(|_| Err(Refusal::method()))
        }
        _ => read(request, MAX_BODY_BYTES).and_then(|_| Err(Refusal::not_found())),
    }
}
