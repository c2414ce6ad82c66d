//! The server that the guide writes, for what its clients notice.

use std::{env, io, time::Duration};

use async_std::{io::ReadExt, task};
use serde::{Deserialize, Serialize};
use tide::{Body, Request, Result, StatusCode};

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

fn main() -> io::Result<()> {
    let mut app = tide::new();
    app.at("/hello").get(|_| async { Ok("Hello, World!") });
    app.at("/slow").get(slow);
    app.at("/stream").get(streamed);
    app.at("/query").get(query);
    app.at("/p/:x").get(path);
    app.at("/no-content").get(|_| async { Ok(StatusCode::NoContent) });
    app.at("/not-modified").get(|_| async { Ok(StatusCode::NotModified) });
    app.at("/json").post(json);
    app.at("/form").post(form);
    app.at("/bytes").post(bytes);
    app.at("/unread").post(|_| async { Ok("ok") });
    app.at("/panic").get(panics);
    // What `#[async_std::main]` expands to.
    task::block_on(app.listen(env::var("ADDR").expect("ADDR is set")))
}

async fn slow(_: Request<()>) -> Result<&'static str> {
    task::sleep(Duration::from_secs(1)).await;
    Ok("slow")
}

async fn streamed(_: Request<()>) -> Result<Body> {
    let chunks = "a".as_bytes().chain("b".as_bytes()).chain("c".as_bytes());
    Ok(Body::from_reader(chunks, None))
}

async fn query(request: Request<()>) -> Result<String> {
    let search: Search = request.query()?;
    Ok(search.q)
}

async fn path(request: Request<()>) -> Result<String> {
    Ok(request.param("x")?.to_owned())
}

async fn json(mut request: Request<()>) -> Result<Body> {
    let person: Person = request.body_json().await?;
    Body::from_json(&person)
}

async fn form(mut request: Request<()>) -> Result<String> {
    let person: Person = request.body_form().await?;
    Ok(person.name)
}

async fn bytes(mut request: Request<()>) -> Result<String> {
    let body = request.body_bytes().await?;
    Ok(body.len().to_string())
}

async fn panics(_: Request<()>) -> Result<&'static str> {
    panic!("asked to")
}
