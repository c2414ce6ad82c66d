//! The contract in Roa's own words.

use std::io;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use roa::{
    Context, Endpoint, Result, async_trait,
    body::PowerBody as _,
    http::{
        StatusCode,
        header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue},
    },
    router::{RouteTable, Router, RouterError, RouterParam as _, get, post},
    status,
};
use services_contract::{CHUNKS, Document, Order, Route};

use crate::{body, compression::WhereRequested, middleware, upload::upload, websocket::websocket};

pub fn table(count: u32) -> std::result::Result<RouteTable<()>, RouterError> {
    let compressed = Router::new().gate(WhereRequested::default()).on("/:seed", get(listing));
    let router = Router::new()
        .on("/", get(index))
        .on("/auth", get(auth))
        .on("/validate", post(validate))
        .on("/json", post(document))
        .on("/upload", post(upload))
        .on("/middleware", get(layers))
        .include("/listing", compressed)
        .on("/stream/:seed", get(streamed))
        .on("/websocket", websocket());
    let router = services_contract::routes(count).fold(router, add_route);
    router.routes("/")
}

fn add_route(router: Router<()>, route: Route) -> Router<()> {
    // Roa's paths live as long as the program, as if all of them stood in its source.
    let path = route.path(":id").leak();
    if route.has_parameter() {
        router.on(path, get(thing))
    } else {
        router.on(path, get(Number(route.number)))
    }
}

/// What answers with its number. A `String` by itself would be answered without a type.
struct Number(u32);

#[async_trait(?Send)]
impl<'a> Endpoint<'a> for Number {
    async fn call(&'a self, ctx: &'a mut Context) -> Result {
        ctx.write(self.0.to_string());
        Ok(())
    }
}

async fn index(ctx: &mut Context) -> Result {
    ctx.write(contract::GREETING);
    Ok(())
}

async fn thing(ctx: &mut Context) -> Result {
    let id = ctx.must_param("id")?;
    ctx.write(id.to_string());
    Ok(())
}

async fn layers(ctx: &mut Context) -> Result {
    ctx.write(middleware::layers(ctx).to_string());
    Ok(())
}

async fn auth(ctx: &mut Context) -> Result {
    let claims = services_contract::claims(ctx.get(AUTHORIZATION));
    ctx.write_json(&claims.map_err(|reason| status!(StatusCode::UNAUTHORIZED, reason))?)
}

async fn validate(ctx: &mut Context) -> Result {
    let order: Order = body::json(ctx).await?;
    match order.total() {
        Ok(total) => ctx.write_json(&total),
        Err(wrong) => {
            ctx.resp.status = StatusCode::UNPROCESSABLE_ENTITY;
            ctx.write_json(&wrong)
        }
    }
}

async fn document(ctx: &mut Context) -> Result {
    let document: Document = body::json(ctx).await?;
    ctx.write_json(&document)
}

async fn listing(ctx: &mut Context) -> Result {
    ctx.write_json(&services_contract::listing(seed(ctx)?))
}

async fn streamed(ctx: &mut Context) -> Result {
    let seed = seed(ctx)?;
    let chunk = move |index| Ok::<_, io::Error>(Bytes::from(services_contract::chunk(seed, index)));
    ctx.resp.write_stream(stream::iter(0..CHUNKS).map(chunk));
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    ctx.resp.headers.insert(CONTENT_TYPE, text);
    Ok(())
}

fn seed(ctx: &Context) -> Result<u32> {
    ctx.must_param("seed")?.parse()
}
