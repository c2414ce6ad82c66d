//! The server that the guide writes, for what its clients notice.

use std::{convert::Infallible, env, io, time::Duration};

use futures_util::stream;
use serde::{Deserialize, Serialize};
use tokio::{net::TcpListener, time};
use viz::{Request, RequestExt, Response, ResponseExt, Result, Router, StatusCode, serve, types::Json};

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let app = Router::new()
        .get("/hello", |_| async { Ok("Hello, World!") })
        .get("/slow", slow)
        .get("/stream", streamed)
        .get("/query", query)
        .get("/p/:x", path)
        .get("/no-content", |_| async { Ok(StatusCode::NO_CONTENT) })
        .get("/not-modified", |_| async { Ok(StatusCode::NOT_MODIFIED) })
        .post("/json", json)
        .post("/form", form)
        .post("/bytes", bytes)
        .post("/unread", |_| async { Ok("ok") })
        .get("/panic", panics);
    let listener = TcpListener::bind(env::var("ADDR").expect("ADDR is set")).await?;
    serve(listener, app).await
}

async fn slow(_: Request) -> Result<&'static str> {
    time::sleep(Duration::from_secs(1)).await;
    Ok("slow")
}

async fn streamed(_: Request) -> Result<Response> {
    Ok(Response::stream(stream::iter(["a", "b", "c"].map(Ok::<_, Infallible>))))
}

async fn query(request: Request) -> Result<String> {
    let search: Search = request.query()?;
    Ok(search.q)
}

async fn path(request: Request) -> Result<String> {
    Ok(request.param("x")?)
}

async fn json(mut request: Request) -> Result<Json<Person>> {
    Ok(Json(request.json().await?))
}

async fn form(mut request: Request) -> Result<String> {
    let person: Person = request.form().await?;
    Ok(person.name)
}

async fn bytes(mut request: Request) -> Result<String> {
    Ok(request.bytes().await?.len().to_string())
}

async fn panics(_: Request) -> Result<&'static str> {
    panic!("asked to")
}
