//! The contract in Thruster's own words. Its documentation shows no template engine: the page is made by Askama, as by most.
#![expect(clippy::unused_async, reason = "a middleware of Thruster is async")]
#![expect(clippy::result_large_err, reason = "its error holds the context, as its result does")]

use postgres_contract::{Count, Deadpool, NewOrder, NotCreated, Store as _, page, with_one_more};
use serde::Serialize;
use thruster::Context as _;
use thruster::{
    App, HyperRequest, MiddlewareNext, MiddlewareResult,
    context::{context_ext::ContextExt, typed_hyper_context::TypedHyperContext},
    errors::ThrusterError,
    m, map_try,
    middleware::query_params::query_params,
    middleware_fn,
};

type Ctx = TypedHyperContext<Request>;

/// What a request has at hand.
pub struct Request {
    store: Deadpool,
}

fn generate_context(request: HyperRequest, store: &Deadpool, _path: &str) -> Ctx {
    Ctx::new(request, Request { store: store.clone() })
}

pub fn app(store: Deadpool) -> App<HyperRequest, Ctx, Deadpool> {
    App::create(generate_context, store)
        // Else the handler of `/` has every path that no other has; and with a 404 set, not even its own.
        .set_strict_mode(true)
        .get("/", m![index])
        .get("/db", m![db])
        .get("/queries", m![query_params, queries])
        .get("/fortunes", m![fortunes])
        .post("/orders", m![create_order])
        .get("/orders/:id", m![order])
        .post("/updates", m![query_params, updates])
        .set404(m![not_found])
}

#[middleware_fn]
async fn index(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    context.content_type("text/plain");
    context.body(postgres_contract::GREETING);
    Ok(context)
}

#[middleware_fn]
async fn db(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let world = context.extra.store.clone().world().await;
    json(context, world)
}

#[middleware_fn]
async fn queries(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let count = map_try!(count(&context), Err(error) => refusal(context, 400, &error));
    let worlds = context.extra.store.clone().worlds(count).await;
    json(context, worlds)
}

#[middleware_fn]
async fn fortunes(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let fortunes = context.extra.store.clone().fortunes().await;
    let fortunes = map_try!(fortunes, Err(error) => refusal(context, 500, &error.to_string()));
    let page = map_try!(page(&with_one_more(fortunes)), Err(error) => refusal(context, 500, &error.to_string()));
    context.content_type("text/html; charset=utf-8");
    context.body(&page);
    Ok(context)
}

#[middleware_fn]
async fn create_order(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let order: NewOrder = map_try!(context.get_json().await, Err(error) => refusal(context, 400, &error.to_string()));
    let created = context.extra.store.clone().create_order(&order).await;
    let created = map_try!(created, Err(error) => {
        let status = if matches!(error, NotCreated::Conflict) { 409 } else { 500 };
        refusal(context, status, &error.to_string())
    });
    json(context, Ok::<_, NotCreated>(created))
}

#[middleware_fn]
async fn order(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let id = context.params().get("id").and_then(|id| id.param.parse::<i32>().ok());
    let id = map_try!(id.ok_or("an order has a number"), Err(error) => refusal(context, 404, error));
    let found = context.extra.store.clone().order(id).await;
    let found = map_try!(found, Err(error) => refusal(context, 500, &error.to_string()));
    let found = map_try!(found.ok_or("no such order"), Err(error) => refusal(context, 404, error));
    json(context, Ok::<_, NotCreated>(found))
}

#[middleware_fn]
async fn updates(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let count = map_try!(count(&context), Err(error) => refusal(context, 400, &error));
    let worlds = context.extra.store.clone().update_worlds(count).await;
    json(context, worlds)
}

#[middleware_fn]
async fn not_found(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    Err(refusal(context, 404, "no such path, or not with this method"))
}

fn count(context: &Ctx) -> Result<Count, String> {
    let n = context.query_params.get("n").map(String::as_str);
    Count::from_query(n).map_err(|error| error.to_string())
}

fn json<E: ToString>(mut context: Ctx, value: Result<impl Serialize, E>) -> MiddlewareResult<Ctx> {
    let value = map_try!(value, Err(error) => refusal(context, 500, &error.to_string()));
    map_try!(context.json(&value), Err(error) => refusal(context, 500, &error.to_string()));
    Ok(context)
}

/// An error of Thruster's own would have status 200.
fn refusal(mut context: Ctx, status: u16, text: &str) -> ThrusterError<Ctx> {
    context.status(status);
    ThrusterError {
        context,
        message: text.to_owned(),
        cause: None,
    }
}
