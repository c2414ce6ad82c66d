//! The server that the guide writes, for what its clients notice.
#![expect(clippy::needless_pass_by_value, reason = "a handler of Poem owns what it is given")]

use std::{env, io, time::Duration};

use futures_util::stream;
use poem::{
    Body, Route, Server, get, handler,
    http::StatusCode,
    listener::TcpListener,
    post,
    web::{Form, Json, Path, Query},
};
use serde::{Deserialize, Serialize};
use tokio::time;

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

#[handler]
fn hello() -> &'static str {
    "Hello, World!"
}

#[handler]
async fn slow() -> &'static str {
    time::sleep(Duration::from_secs(1)).await;
    "slow"
}

#[handler]
fn streamed() -> Body {
    Body::from_bytes_stream(stream::iter(["a", "b", "c"].map(Ok::<_, io::Error>)))
}

#[handler]
fn query(Query(search): Query<Search>) -> String {
    search.q
}

#[handler]
fn path(Path(x): Path<String>) -> String {
    x
}

#[handler]
fn no_content() -> StatusCode {
    StatusCode::NO_CONTENT
}

#[handler]
fn not_modified() -> StatusCode {
    StatusCode::NOT_MODIFIED
}

#[handler]
fn json(Json(person): Json<Person>) -> Json<Person> {
    Json(person)
}

#[handler]
fn form(Form(person): Form<Person>) -> String {
    person.name
}

#[handler]
fn bytes(body: Vec<u8>) -> String {
    body.len().to_string()
}

#[handler]
fn unread() -> &'static str {
    "ok"
}

#[handler]
fn panics() -> &'static str {
    panic!("asked to")
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let app = Route::new()
        .at("/hello", get(hello))
        .at("/slow", get(slow))
        .at("/stream", get(streamed))
        .at("/query", get(query))
        .at("/p/:x", get(path))
        .at("/no-content", get(no_content))
        .at("/not-modified", get(not_modified))
        .at("/json", post(json))
        .at("/form", post(form))
        .at("/bytes", post(bytes))
        .at("/unread", post(unread))
        .at("/panic", get(panics));
    Server::new(TcpListener::bind(env::var("ADDR").expect("ADDR is set")))
        .run(app)
        .await
}
