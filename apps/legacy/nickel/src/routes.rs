//! The contract in nickel's own words. It is synchronous: what blocks does so on the thread of its connection.
#![expect(clippy::result_large_err, reason = "what a handler of nickel returns")]

use std::{io::Write as _, thread};

use contract::{Hello, Index, TIMED};
use nickel::{
    Action, Halt, HttpRouter as _, MediaType, MiddlewareResult, Nickel, NickelError, QueryString as _, Request,
    Response, status::StatusCode,
};
use serde::Serialize;
use serde_json::Value;

use crate::payload;

/// Why a request is not served: the text goes to the client.
pub type Failure = (StatusCode, String);

pub fn server() -> Nickel {
    let mut server = Nickel::new();
    server.utilize(without_body);
    server.get("/", index);
    server.get("/hello", hello);
    server.get("/heavy", heavy);
    server.get("/cpu", cpu);
    server.get("/ram", ram);
    server.post("/test/simple", simple);
    server.post("/test/timed", timed);
    server.post("/test/bcrypt", bcrypt);
    server.post("/test/bcrypt-inline", bcrypt);
    server.handle_error(write_message as fn(&mut NickelError<()>, &mut Request) -> Action);
    server
}

fn index<'mw>(_: &mut Request, mut response: Response<'mw>) -> MiddlewareResult<'mw> {
    response.set(MediaType::Txt);
    response.send(contract::GREETING)
}

fn hello<'mw>(_: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    answer(response, json(&Hello::new()))
}

fn heavy<'mw>(_: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    answer(response, json(&contract::heavy()))
}

fn cpu<'mw>(request: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    let index = Index::from_query(request.query().get("n"));
    let index = index.map_err(|error| (StatusCode::BadRequest, error.to_string()));
    answer(response, index.and_then(|index| json(&contract::fib(index))))
}

fn ram<'mw>(_: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    answer(response, json(&contract::ram()))
}

fn simple<'mw>(request: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    let payload = payload::read(request);
    answer(response, payload.and_then(|payload| json(&contract::greet(&payload))))
}

fn timed<'mw>(request: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    let payload = payload::read(request);
    let greeting = payload.and_then(|payload| {
        thread::sleep(TIMED);
        json(&contract::greet(&payload))
    });
    answer(response, greeting)
}

fn bcrypt<'mw>(request: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    let payload = payload::read(request);
    let hash = payload.and_then(|payload| contract::bcrypt(&payload).map_err(|error| internal(&error)));
    answer(response, hash.and_then(|hash| json(&hash)))
}

fn answer(response: Response<'_>, found: Result<Value, Failure>) -> MiddlewareResult<'_> {
    match found {
        Ok(value) => response.send(value),
        Err(failure) => response.send(failure),
    }
}

fn json(value: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(value).map_err(|error| internal(&error))
}

fn internal(error: &impl ToString) -> Failure {
    (StatusCode::InternalServerError, error.to_string())
}

/// The body of a GET, of which no handler knows.
fn without_body<'mw>(request: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    if request.origin.method.as_ref() != "POST" {
        payload::discard(request);
    }
    response.next_middleware()
}

/// nickel's own text for most that goes wrong is "Internal Server Error".
fn write_message(error: &mut NickelError<()>, request: &mut Request) -> Action {
    payload::discard(request);
    if let Some(response) = &mut error.stream {
        // Where it cannot be written, there is nobody left to read it.
        let _ = response.write_all(error.message.as_bytes());
    }
    Halt(())
}
