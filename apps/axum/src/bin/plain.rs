//! The server that the guide writes, for what its clients notice.

use std::{convert::Infallible, env, time::Duration};

use axum::{
    Form, Json, Router,
    body::{Body, Bytes},
    extract::{Path, Query},
    http::StatusCode,
    routing::{get, post},
};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use tokio::{net::TcpListener, time};

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let app = Router::new()
        .route("/hello", get(|| async { "Hello, World!" }))
        .route("/slow", get(slow))
        .route("/stream", get(stream))
        .route("/query", get(|Query(search): Query<Search>| async { search.q }))
        .route("/p/{x}", get(|Path(x): Path<String>| async { x }))
        .route("/no-content", get(|| async { StatusCode::NO_CONTENT }))
        .route("/not-modified", get(|| async { StatusCode::NOT_MODIFIED }))
        .route("/json", post(|Json(person): Json<Person>| async { Json(person) }))
        .route("/form", post(|Form(person): Form<Person>| async { person.name }))
        .route("/bytes", post(|body: Bytes| async move { body.len().to_string() }))
        .route("/unread", post(|| async { "ok" }))
        .route("/panic", get(panics));
    let listener = TcpListener::bind(env::var("ADDR").expect("ADDR is set")).await?;
    axum::serve(listener, app).await
}

async fn slow() -> &'static str {
    time::sleep(Duration::from_secs(1)).await;
    "slow"
}

async fn stream() -> Body {
    Body::from_stream(stream::iter(["a", "b", "c"].map(Ok::<_, Infallible>)))
}

async fn panics() -> &'static str {
    panic!("asked to")
}
