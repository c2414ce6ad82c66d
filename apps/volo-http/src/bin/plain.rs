//! The server that the guide writes, for what its clients notice.

use std::{env, error::Error, net::SocketAddr, time::Duration};

use futures_util::stream;
use serde::{Deserialize, Serialize};
use tokio::time;
use volo_http::{
    Address, Bytes,
    body::Body,
    http::StatusCode,
    hyper::body::Frame,
    server::{
        Server,
        extract::{Form, Json, Query},
        param::PathParams,
        route::{Router, get, post},
    },
};

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

#[volo::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let app = Router::new()
        .route("/hello", get(hello))
        .route("/slow", get(slow))
        .route("/stream", get(streamed))
        .route("/query", get(query))
        .route("/p/{x}", get(path))
        .route("/no-content", get(no_content))
        .route("/not-modified", get(not_modified))
        .route("/json", post(json))
        .route("/form", post(form))
        .route("/bytes", post(bytes))
        .route("/unread", post(unread))
        .route("/panic", get(panics));
    let addr: SocketAddr = env::var("ADDR")?.parse()?;
    Server::new(app).run(Address::from(addr)).await
}

async fn hello() -> &'static str {
    "Hello, World!"
}

async fn slow() -> &'static str {
    time::sleep(Duration::from_secs(1)).await;
    "slow"
}

async fn streamed() -> Body {
    let chunks = ["a", "b", "c"].map(|chunk| Ok(Frame::data(Bytes::from(chunk))));
    Body::from_stream(stream::iter(chunks))
}

async fn query(Query(search): Query<Search>) -> String {
    search.q
}

async fn path(PathParams(x): PathParams<String>) -> String {
    x
}

async fn no_content() -> StatusCode {
    StatusCode::NO_CONTENT
}

async fn not_modified() -> StatusCode {
    StatusCode::NOT_MODIFIED
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

async fn unread() -> &'static str {
    "ok"
}

async fn panics() -> &'static str {
    panic!("asked to")
}
