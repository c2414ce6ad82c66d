//! The server that the guide writes, for what its clients notice.

use std::{convert::Infallible, env, net::SocketAddr, time::Duration};

use rama::{
    error::BoxError,
    futures::stream,
    http::{
        Body, StatusCode,
        server::HttpServer,
        service::web::{
            Router,
            extract::{self, Bytes, Form, Path, Query},
            response::Json,
        },
    },
    rt::Executor,
};
use serde::{Deserialize, Serialize};
use tokio::time;

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize)]
struct Part {
    x: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let router = Router::new()
        .with_get("/hello", async || "Hello, World!")
        .with_get("/slow", slow)
        .with_get("/stream", streamed)
        .with_get("/query", async |Query(search): Query<Search>| search.q)
        .with_get("/p/{x}", async |Path(part): Path<Part>| part.x)
        .with_get("/no-content", async || StatusCode::NO_CONTENT)
        .with_get("/not-modified", async || StatusCode::NOT_MODIFIED)
        .with_post("/json", async |extract::Json(person): extract::Json<Person>| {
            Json(person)
        })
        .with_post("/form", async |Form(person): Form<Person>| person.name)
        .with_post("/bytes", async |Bytes(body): Bytes| body.len().to_string())
        .with_post("/unread", async || "ok")
        .with_get("/panic", panics);
    let addr: SocketAddr = env::var("ADDR")?.parse()?;
    HttpServer::auto(Executor::default()).listen(addr, router).await
}

async fn slow() -> &'static str {
    time::sleep(Duration::from_secs(1)).await;
    "slow"
}

async fn streamed() -> Body {
    Body::from_stream(stream::iter(["a", "b", "c"].map(Ok::<_, Infallible>)))
}

async fn panics() -> &'static str {
    panic!("asked to")
}
