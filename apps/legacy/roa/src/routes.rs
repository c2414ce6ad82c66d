//! The contract in Roa's own words.

use std::sync::Arc;

use contract::{Hello, Index, TIMED};
use roa::{
    App, Context, Endpoint, Next, Result,
    body::PowerBody as _,
    http::StatusCode,
    query::{Query as _, query_parser},
    router::{Router, RouterError, get, post},
    status,
};
use tokio::time;

use crate::payload;

pub fn app() -> std::result::Result<App<(), Arc<impl for<'a> Endpoint<'a, ()>>>, RouterError> {
    let router = Router::new()
        .on("/", get(index))
        .on("/hello", get(hello))
        .on("/heavy", get(heavy))
        .on("/cpu", get(cpu))
        .on("/ram", get(ram))
        .on("/test/simple", post(simple))
        .on("/test/timed", post(timed))
        .on("/test/bcrypt", post(bcrypt))
        .on("/test/bcrypt-inline", post(bcrypt_inline))
        .routes("/")?;
    Ok(App::new().gate(with_body).gate(query_parser).end(router))
}

async fn index(ctx: &mut Context) -> Result {
    ctx.write(contract::GREETING);
    Ok(())
}

async fn hello(ctx: &mut Context) -> Result {
    ctx.write_json(&Hello::new())
}

async fn heavy(ctx: &mut Context) -> Result {
    ctx.write_json(&contract::heavy())
}

async fn cpu(ctx: &mut Context) -> Result {
    let n = ctx.query("n");
    let n =
        Index::from_query(n.as_deref().map(String::as_str)).map_err(|error| status!(StatusCode::BAD_REQUEST, error))?;
    ctx.write_json(&contract::fib(n))
}

async fn ram(ctx: &mut Context) -> Result {
    ctx.write_json(&contract::ram())
}

async fn simple(ctx: &mut Context) -> Result {
    let payload = payload::read(ctx).await?;
    ctx.write_json(&contract::greet(&payload))
}

async fn timed(ctx: &mut Context) -> Result {
    let payload = payload::read(ctx).await?;
    time::sleep(TIMED).await;
    ctx.write_json(&contract::greet(&payload))
}

async fn bcrypt(ctx: &mut Context) -> Result {
    let payload = payload::read(ctx).await?;
    let hash = ctx.exec.spawn_blocking(move || contract::bcrypt(&payload)).await?;
    ctx.write_json(&hash)
}

async fn bcrypt_inline(ctx: &mut Context) -> Result {
    let payload = payload::read(ctx).await?;
    ctx.write_json(&contract::bcrypt(&payload)?)
}

/// Roa's own 404 has no body.
async fn with_body(_: &mut Context, next: Next<'_>) -> Result {
    next.await.map_err(|mut status| {
        if status.message.is_empty() {
            "no such path".clone_into(&mut status.message);
        }
        status
    })
}
