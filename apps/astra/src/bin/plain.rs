//! The server that the guide writes, for what its clients notice.

use std::{
    env,
    error::Error,
    io::{self, Read},
    thread,
    time::Duration,
};

use astra::{Body, Request, Response, ResponseBuilder, Server};
use serde::{Deserialize, Serialize};

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

fn answer(mut request: Request) -> Result<Response, Failure> {
    match (request.method().as_str(), request.uri().path()) {
        ("GET", "/hello") => Ok(Response::new(Body::new("Hello, World!"))),
        ("GET", "/slow") => {
            // As in its guide: other workers run in the meantime.
            thread::sleep(Duration::from_secs(1));
            Ok(Response::new(Body::new("slow")))
        }
        ("GET", "/stream") => {
            let chunks = "a".as_bytes().chain("b".as_bytes()).chain("c".as_bytes());
            Ok(Response::new(Body::wrap_reader(chunks)))
        }
        ("GET", "/query") => {
            let search: Search = serde_urlencoded::from_str(request.uri().query().unwrap_or_default())?;
            Ok(Response::new(Body::new(search.q)))
        }
        ("GET", path) if path.starts_with("/p/") => Ok(Response::new(Body::new(path["/p/".len()..].to_owned()))),
        ("GET", "/no-content") => Ok(ResponseBuilder::new().status(204).body(Body::empty())?),
        ("GET", "/not-modified") => Ok(ResponseBuilder::new().status(304).body(Body::empty())?),
        ("POST", "/json") => {
            let person: Person = serde_json::from_reader(request.body_mut().reader())?;
            let response = ResponseBuilder::new().header("Content-Type", "application/json");
            Ok(response.body(Body::new(serde_json::to_vec(&person)?))?)
        }
        ("POST", "/form") => {
            let person: Person = serde_urlencoded::from_reader(request.body_mut().reader())?;
            Ok(Response::new(Body::new(person.name)))
        }
        ("POST", "/bytes") => {
            let mut body = Vec::new();
            request.body_mut().reader().read_to_end(&mut body)?;
            Ok(Response::new(Body::new(body.len().to_string())))
        }
        ("POST", "/unread") => Ok(Response::new(Body::new("ok"))),
        ("GET", "/panic") => panic!("asked to"),
        _ => Ok(ResponseBuilder::new().status(404).body(Body::empty())?),
    }
}

fn refused(error: &Failure) -> Response {
    let response = ResponseBuilder::new().status(400);
    response
        .body(Body::new(error.to_string()))
        .expect("a status that is known to be good")
}

fn main() -> io::Result<()> {
    Server::bind(env::var("ADDR").expect("ADDR is set"))
        .serve(|request, _info| answer(request).unwrap_or_else(|error| refused(&error)))
}
