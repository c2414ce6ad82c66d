//! The server that the guide writes, for what its clients notice.
#![expect(clippy::unused_async, reason = "a middleware of Thruster is async")]

use std::{convert::Infallible, env, net::SocketAddr, time::Duration};

use futures_util::stream;
use hyper::Body;
use serde::{Deserialize, Serialize};
use thruster::{
    App, BasicHyperContext as Ctx, Context, HyperRequest, HyperServer, MiddlewareNext, MiddlewareResult,
    ThrusterServer,
    context::{basic_hyper_context::generate_context, context_ext::ContextExt},
    errors::{ErrorSet, ThrusterError},
    m,
    middleware::query_params::query_params,
    middleware_fn,
};
use tokio::time;

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

#[middleware_fn]
async fn hello(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    context.body("Hello, World!");
    Ok(context)
}

#[middleware_fn]
async fn slow(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    time::sleep(Duration::from_secs(1)).await;
    context.body("slow");
    Ok(context)
}

#[middleware_fn]
async fn streamed(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    context.body = Body::wrap_stream(stream::iter(["a", "b", "c"].map(Ok::<_, Infallible>)));
    Ok(context)
}

#[middleware_fn]
async fn query(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let q = context.query_params.remove("q");
    context.body(&q.ok_or_else(|| ThrusterError::generic_error(Ctx::default()))?);
    Ok(context)
}

#[middleware_fn]
async fn path(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let x = context.params().get("x").map(|x| x.param.clone());
    context.body(&x.ok_or_else(|| ThrusterError::generic_error(Ctx::default()))?);
    Ok(context)
}

#[middleware_fn]
async fn no_content(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    context.status(204);
    Ok(context)
}

#[middleware_fn]
async fn not_modified(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    context.status(304);
    Ok(context)
}

#[middleware_fn]
async fn json(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let person: Person = context.get_json().await?;
    context.json(&person)?;
    Ok(context)
}

#[middleware_fn]
async fn bytes(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let body = context.body_string().await?;
    context.body(&body.len().to_string());
    Ok(context)
}

#[middleware_fn]
async fn unread(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    context.body("ok");
    Ok(context)
}

#[middleware_fn]
async fn panics(_context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    panic!("asked to")
}

// No POST /form: Thruster has nothing that reads one.
fn main() {
    let app = App::<HyperRequest, Ctx, ()>::create(generate_context, ())
        .get("/hello", m![hello])
        .get("/slow", m![slow])
        .get("/stream", m![streamed])
        .get("/query", m![query_params, query])
        .get("/p/:x", m![path])
        .get("/no-content", m![no_content])
        .get("/not-modified", m![not_modified])
        .post("/json", m![json])
        .post("/bytes", m![bytes])
        .post("/unread", m![unread])
        .get("/panic", m![panics]);
    let addr: SocketAddr = env::var("ADDR")
        .ok()
        .and_then(|addr| addr.parse().ok())
        .expect("ADDR is set");
    HyperServer::new(app).start(&addr.ip().to_string(), addr.port());
}
