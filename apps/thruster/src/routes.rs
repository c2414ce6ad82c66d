//! The contract in Thruster's own words. Its router has no answer of its own to a wrong method, takes a method that it does
//! not know for GET, and what follows a known path (`/hello/x`) for a part of it.
#![expect(clippy::unused_async, reason = "a middleware of Thruster is async")]
#![expect(clippy::result_large_err, reason = "its error holds the context, as its result does")]

use contract::{Hello, Index, Payload, TIMED};
use serde::Serialize;
use thruster::{
    App, BasicHyperContext as Ctx, HyperRequest, MiddlewareNext, MiddlewareResult,
    context::{basic_hyper_context::generate_context, context_ext::ContextExt},
    m, map_try,
    middleware::query_params::query_params,
    middleware_fn,
};
use tokio::{task, time};

use crate::body::{limited, refusal};

pub fn app() -> App<HyperRequest, Ctx, ()> {
    App::create(generate_context, ())
        // Else the handler of `/` has every path that no other has; and with a 404 set, not even its own.
        .set_strict_mode(true)
        .get("/", m![index])
        .get("/hello", m![hello])
        .get("/heavy", m![heavy])
        .get("/cpu", m![query_params, cpu])
        .get("/ram", m![ram])
        .post("/test/simple", m![simple])
        .post("/test/timed", m![timed])
        .post("/test/bcrypt", m![limited, bcrypt])
        .post("/test/bcrypt-inline", m![limited, bcrypt_inline])
        .set404(m![not_found])
}

#[middleware_fn]
async fn index(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    context.content_type("text/plain");
    context.body(contract::GREETING);
    Ok(context)
}

#[middleware_fn]
async fn hello(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    json(context, &Hello::new())
}

#[middleware_fn]
async fn heavy(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    json(context, &contract::heavy())
}

#[middleware_fn]
async fn cpu(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let n = context.query_params.get("n").map(String::as_str);
    let index = map_try!(Index::from_query(n), Err(error) => refusal(context, 400, &error.to_string()));
    json(context, &contract::fib(index))
}

#[middleware_fn]
async fn ram(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    json(context, &contract::ram())
}

#[middleware_fn]
async fn simple(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let payload: Payload = map_try!(context.get_json().await, Err(error) => refusal(context, 400, &error.to_string()));
    json(context, &contract::greet(&payload))
}

#[middleware_fn]
async fn timed(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let payload: Payload = map_try!(context.get_json().await, Err(error) => refusal(context, 400, &error.to_string()));
    time::sleep(TIMED).await;
    json(context, &contract::greet(&payload))
}

#[middleware_fn]
async fn bcrypt(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let payload: Payload = map_try!(context.get_json().await, Err(error) => refusal(context, 400, &error.to_string()));
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload)).await;
    let hash = map_try!(hash, Err(error) => refusal(context, 500, &error.to_string()));
    let hash = map_try!(hash, Err(error) => refusal(context, 500, &error.to_string()));
    json(context, &hash)
}

#[middleware_fn]
async fn bcrypt_inline(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let payload: Payload = map_try!(context.get_json().await, Err(error) => refusal(context, 400, &error.to_string()));
    let hash = map_try!(contract::bcrypt(&payload), Err(error) => refusal(context, 500, &error.to_string()));
    json(context, &hash)
}

#[middleware_fn]
async fn not_found(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    Err(refusal(context, 404, "no such path, or not with this method"))
}

fn json(mut context: Ctx, value: &impl Serialize) -> MiddlewareResult<Ctx> {
    map_try!(context.json(value), Err(error) => refusal(context, 500, &error.to_string()));
    Ok(context)
}
