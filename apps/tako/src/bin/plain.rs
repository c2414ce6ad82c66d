//! The server that the guide writes, for what its clients notice.

use std::{convert::Infallible, env, time::Duration};

use futures_util::stream;
use serde::{Deserialize, Serialize};
use tako::{
    Bytes, Server, StatusCode,
    body::TakoBody,
    extractors::{form::Form, json::Json, path::Path, query::Query},
    router::Router,
    types::BoxError,
};
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
async fn main() -> Result<(), BoxError> {
    let mut router = Router::new();
    router.get("/hello", || async { "Hello, World!" });
    router.get("/slow", slow);
    router.get("/stream", streamed);
    router.get("/query", query);
    router.get("/p/{x}", path);
    router.get("/no-content", || async { StatusCode::NO_CONTENT });
    router.get("/not-modified", || async { StatusCode::NOT_MODIFIED });
    router.post("/json", json);
    router.post("/form", form);
    router.post("/bytes", bytes);
    router.post("/unread", || async { "ok" });
    router.get("/panic", panics);
    let listener = TcpListener::bind(env::var("ADDR")?).await?;
    Server::builder()
        .build()
        .try_spawn_http(listener, router)?
        .result()
        .await?;
    Ok(())
}

async fn slow() -> &'static str {
    time::sleep(Duration::from_secs(1)).await;
    "slow"
}

async fn streamed() -> TakoBody {
    let chunks = ["a", "b", "c"].map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)));
    TakoBody::from_stream(stream::iter(chunks))
}

async fn query(Query(search): Query<Search>) -> String {
    search.q
}

async fn path(Path(x): Path<String>) -> String {
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
