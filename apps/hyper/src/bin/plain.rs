//! The server that the guide writes, for what its clients notice.

use std::{convert::Infallible, env, io, time::Duration};

use futures_util::stream;
use http_body_util::{BodyExt, Empty, Full, StreamBody, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Frame, Incoming},
    header::{CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::{net::TcpListener, runtime::Runtime, task, time};

type Answer = Response<BoxBody<Bytes, Infallible>>;

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

async fn answer(request: Request<Incoming>) -> Result<Answer, hyper::Error> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/hello") => Ok(text("Hello, World!")),
        (&Method::GET, "/slow") => {
            time::sleep(Duration::from_secs(1)).await;
            Ok(text("slow"))
        }
        (&Method::GET, "/stream") => {
            let chunks = ["a", "b", "c"].map(|chunk| Ok(Frame::data(Bytes::from(chunk))));
            Ok(Response::new(StreamBody::new(stream::iter(chunks)).boxed()))
        }
        (&Method::GET, "/query") => {
            let query = request.uri().query().unwrap_or_default();
            Ok(serde_urlencoded::from_str(query).map_or_else(|error| refused(&error), |search: Search| text(search.q)))
        }
        (&Method::GET, path) if path.starts_with("/p/") => Ok(text(path["/p/".len()..].to_owned())),
        (&Method::GET, "/no-content") => Ok(status(StatusCode::NO_CONTENT)),
        (&Method::GET, "/not-modified") => Ok(status(StatusCode::NOT_MODIFIED)),
        (&Method::POST, "/json") => {
            let body = request.collect().await?.to_bytes();
            let person = serde_json::from_slice(&body);
            Ok(person
                .and_then(|person: Person| json(&person))
                .unwrap_or_else(|error| refused(&error)))
        }
        (&Method::POST, "/form") => {
            let body = request.collect().await?.to_bytes();
            Ok(serde_urlencoded::from_bytes(&body)
                .map_or_else(|error| refused(&error), |person: Person| text(person.name)))
        }
        (&Method::POST, "/bytes") => {
            let body = request.collect().await?.to_bytes();
            Ok(text(body.len().to_string()))
        }
        (&Method::POST, "/unread") => Ok(text("ok")),
        (&Method::GET, "/panic") => panic!("asked to"),
        _ => Ok(status(StatusCode::NOT_FOUND)),
    }
}

fn text(text: impl Into<Bytes>) -> Answer {
    Response::new(Full::new(text.into()).boxed())
}

fn json(value: &impl Serialize) -> serde_json::Result<Answer> {
    let mut answer = text(serde_json::to_vec(value)?);
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(answer)
}

fn status(status: StatusCode) -> Answer {
    let mut answer = Response::new(Empty::new().boxed());
    *answer.status_mut() = status;
    answer
}

fn refused(error: &impl ToString) -> Answer {
    let mut answer = text(error.to_string());
    *answer.status_mut() = StatusCode::BAD_REQUEST;
    answer
}

fn main() -> io::Result<()> {
    // What `#[tokio::main]` expands to.
    Runtime::new()?.block_on(async {
        let listener = TcpListener::bind(env::var("ADDR").expect("ADDR is set")).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            let stream = TokioIo::new(stream);
            task::spawn(http1::Builder::new().serve_connection(stream, service_fn(answer)));
        }
    })
}
