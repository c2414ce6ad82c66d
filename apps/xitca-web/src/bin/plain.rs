//! The server that the guide writes, for what its clients notice.

use std::{convert::Infallible, env, io, time::Duration};

use futures_util::stream;
use serde::{Deserialize, Serialize};
use tokio::time;
use xitca_web::{
    App,
    body::{BoxBody, StreamDataBody},
    bytes::Bytes,
    handler::{form::Form, handler_service, json::Json, params::Params, query::Query},
    http::StatusCode,
    route::{get, post},
};

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

fn main() -> io::Result<()> {
    App::new()
        .at("/hello", get(handler_service(async || "Hello, World!")))
        .at("/slow", get(handler_service(slow)))
        .at("/stream", get(handler_service(streamed)))
        .at("/query", get(handler_service(query)))
        .at("/p/{x}", get(handler_service(path)))
        .at("/no-content", get(handler_service(async || StatusCode::NO_CONTENT)))
        .at("/not-modified", get(handler_service(async || StatusCode::NOT_MODIFIED)))
        .at("/json", post(handler_service(json)))
        .at("/form", post(handler_service(form)))
        .at("/bytes", post(handler_service(bytes)))
        .at("/unread", post(handler_service(async || "ok")))
        .at("/panic", get(handler_service(panics)))
        .serve()
        .bind(env::var("ADDR").expect("ADDR is set"))?
        .run()
        .wait()
}

async fn slow() -> &'static str {
    time::sleep(Duration::from_secs(1)).await;
    "slow"
}

/// Not `stream::iter`: of a stream that knows how many items it has, that number becomes the `Content-Length`.
async fn streamed() -> BoxBody {
    let chunks = stream::unfold(["a", "b", "c"].into_iter(), async |mut chunks| {
        let chunk = chunks.next()?;
        Some((Ok::<_, Infallible>(Bytes::from(chunk)), chunks))
    });
    BoxBody::new(StreamDataBody::new(chunks))
}

async fn query(Query(search): Query<Search>) -> String {
    search.q
}

async fn path(Params(x): Params<String>) -> String {
    x
}

async fn json(Json(person): Json<Person>) -> Json<Person> {
    Json(person)
}

async fn form(Form(person): Form<Person>) -> String {
    person.name
}

async fn bytes(body: Bytes) -> String {
    body.len().to_string()
}

async fn panics() -> &'static str {
    panic!("asked to")
}
