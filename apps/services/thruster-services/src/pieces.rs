//! An answer in pieces: the body of a context is one of hyper.
#![expect(clippy::unused_async, reason = "a middleware of Thruster is async")]

use std::convert::Infallible;

use futures_util::{StreamExt as _, stream::iter};
use hyper::Body;
use services_contract::CHUNKS;
use thruster::{
    BasicHyperContext as Ctx, MiddlewareNext, MiddlewareResult, context::context_ext::ContextExt as _, map_try,
    middleware_fn,
};

use crate::body::refusal;

#[middleware_fn]
pub async fn stream(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let seed = context
        .params()
        .get("seed")
        .and_then(|seed| seed.param.parse::<u32>().ok());
    let seed = map_try!(seed.ok_or("want a whole number"), Err(error) => refusal(context, 400, error));
    let chunks = iter(0..CHUNKS).map(move |index| Ok::<_, Infallible>(services_contract::chunk(seed, index)));
    context.content_type("text/plain; charset=utf-8");
    context.body = Body::wrap_stream(chunks);
    Ok(context)
}
