//! The server that the guide writes, for what its clients notice.

use std::{env, error::Error, time::Duration};

use futures_util::stream;
use roa::{
    App, Context, Result,
    body::PowerBody,
    http::StatusCode,
    query::{Query, query_parser},
    router::{Router, RouterParam, get, post},
    tcp::Listener,
};
use serde::{Deserialize, Serialize};
use tokio::{runtime::Runtime, time};

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let router = Router::new()
        .on("/hello", get("Hello, World!"))
        .on("/slow", get(slow))
        .on("/stream", get(streamed))
        .on("/query", get(query))
        .on("/p/:x", get(path))
        .on("/no-content", get(no_content))
        .on("/not-modified", get(not_modified))
        .on("/json", post(json))
        .on("/form", post(form))
        .on("/bytes", post(bytes))
        .on("/unread", post("ok"))
        .on("/panic", get(panics));
    let app = App::new().gate(query_parser).end(router.routes("/")?);
    // What `#[tokio::main]` expands to.
    Runtime::new()?.block_on(async {
        app.listen(env::var("ADDR")?, |_| {})?.await?;
        Ok(())
    })
}

async fn slow(ctx: &mut Context) -> Result {
    time::sleep(Duration::from_secs(1)).await;
    ctx.write("slow");
    Ok(())
}

async fn streamed(ctx: &mut Context) -> Result {
    let chunks = ["a", "b", "c"].map(|chunk| Ok(chunk.into()));
    ctx.resp.write_stream(stream::iter(chunks));
    Ok(())
}

async fn query(ctx: &mut Context) -> Result {
    let q = ctx.must_query("q")?.to_string();
    ctx.write(q);
    Ok(())
}

async fn path(ctx: &mut Context) -> Result {
    let x = ctx.must_param("x")?.to_string();
    ctx.write(x);
    Ok(())
}

async fn no_content(ctx: &mut Context) -> Result {
    ctx.resp.status = StatusCode::NO_CONTENT;
    Ok(())
}

async fn not_modified(ctx: &mut Context) -> Result {
    ctx.resp.status = StatusCode::NOT_MODIFIED;
    Ok(())
}

async fn json(ctx: &mut Context) -> Result {
    let person: Person = ctx.read_json().await?;
    ctx.write_json(&person)
}

async fn form(ctx: &mut Context) -> Result {
    let person: Person = ctx.read_form().await?;
    ctx.write(person.name);
    Ok(())
}

async fn bytes(ctx: &mut Context) -> Result {
    let body = ctx.read().await?;
    ctx.write(body.len().to_string());
    Ok(())
}

async fn panics(_: &mut Context) -> Result {
    panic!("asked to")
}
