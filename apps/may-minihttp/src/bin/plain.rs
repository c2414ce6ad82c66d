//! The server that the guide writes, for what its clients notice.

use std::{
    env,
    io::{self, BufRead, Read},
    time::Duration,
};

use bytes::BufMut;
use may::coroutine;
use may_minihttp::{HttpServer, HttpService, Request, Response};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

#[derive(Clone)]
struct Plain;

// No GET /stream: an answer always has its length.
impl HttpService for Plain {
    fn call(&mut self, request: Request, response: &mut Response) -> io::Result<()> {
        let (path, query) = request.path().split_once('?').unwrap_or((request.path(), ""));
        match (request.method(), path) {
            ("GET", "/hello") => response.body("Hello, World!"),
            ("GET", "/slow") => {
                coroutine::sleep(Duration::from_secs(1));
                response.body("slow");
            }
            ("GET", "/query") => {
                let search: Search = serde_urlencoded::from_str(query).map_err(io::Error::other)?;
                response.body_vec(search.q.into_bytes());
            }
            ("GET", path) if path.starts_with("/p/") => response.body_vec(path["/p/".len()..].into()),
            ("GET", "/no-content") => {
                response.status_code(204, "No Content");
            }
            ("GET", "/not-modified") => {
                response.status_code(304, "Not Modified");
            }
            ("POST", "/json") => {
                let person: Person = serde_json::from_slice(request.body().fill_buf()?)?;
                response.header("Content-Type: application/json");
                serde_json::to_writer(response.body_mut().writer(), &person)?;
            }
            ("POST", "/form") => {
                let person: Person =
                    serde_urlencoded::from_bytes(request.body().fill_buf()?).map_err(io::Error::other)?;
                response.body_vec(person.name.into_bytes());
            }
            ("POST", "/bytes") => {
                let mut body = Vec::new();
                request.body().read_to_end(&mut body)?;
                response.body_vec(body.len().to_string().into_bytes());
            }
            ("POST", "/unread") => response.body("ok"),
            ("GET", "/panic") => panic!("asked to"),
            _ => {
                response.status_code(404, "Not Found");
            }
        }
        Ok(())
    }
}

fn main() -> io::Result<()> {
    let server = HttpServer(Plain).start(env::var("ADDR").expect("ADDR is set"))?;
    server.join().map_err(|_| io::Error::other("the server panicked"))
}
