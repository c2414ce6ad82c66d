//! The contract in Thruster's own words. Its router has no answer of its own to a wrong method, takes a method that it does
//! not know for GET, and what follows a known path for a part of it.
#![expect(clippy::unused_async, reason = "a middleware of Thruster is async")]
#![expect(clippy::result_large_err, reason = "its error holds the context, as its result does")]

use serde::Serialize;
use services_contract::{Document, Order, Settings};
use thruster::{
    App, BasicHyperContext as Ctx, Context as _, HyperRequest, MiddlewareNext, MiddlewareResult,
    context::{basic_hyper_context::generate_context, context_ext::ContextExt},
    m, map_try, middleware_fn,
};

use crate::{
    body::{refusal, small_json},
    files::file,
    pieces::stream,
};

pub fn app(settings: &Settings) -> App<HyperRequest, Ctx, ()> {
    let app = App::create(generate_context, ())
        // Else the handler of `/` has every path that no other has; and with a 404 set, not even its own.
        .set_strict_mode(true)
        .get("/", m![index])
        .get("/auth", m![auth])
        .post("/validate", m![small_json, validate])
        .post("/json", m![small_json, json])
        .get("/static/*", m![file])
        .get("/stream/:seed", m![stream])
        .get("/stream/:seed/*", m![not_found]);
    let app = services_contract::routes(settings.routes).fold(app, |app, route| {
        let path = route.path(":id");
        let app = if route.has_parameter() {
            app.get(&path, m![thing])
        } else {
            app.get(&path, m![number])
        };
        // Else what follows the path would be answered as the path is.
        app.get(&format!("{path}/*"), m![not_found])
    });
    app.set404(m![not_found])
}

#[middleware_fn]
async fn index(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    Ok(text(context, services_contract::GREETING))
}

#[middleware_fn]
async fn thing(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    // To its router, an empty part of a path is a parameter, too.
    let id = context.params().get("id").filter(|id| !id.param.is_empty());
    let id = id.map(|id| id.param.clone());
    let id = map_try!(id.ok_or("a thing has an id"), Err(error) => refusal(context, 404, error));
    Ok(text(context, &id))
}

/// A handler is the pointer to a function, and holds no number: it is read off the path that the router has found.
#[middleware_fn]
async fn number(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let path = context.route().split('?').next();
    let number = path.and_then(|path| path.rsplit_once("/thing"));
    let number = number.map(|(_, number)| number.to_owned());
    let number = map_try!(number.ok_or("a thing has a number"), Err(error) => refusal(context, 404, error));
    Ok(text(context, &number))
}

#[middleware_fn]
async fn auth(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    // Without this it has no headers.
    context.into_owned_request();
    let claims = services_contract::claims(context.req_header("authorization"));
    let claims = map_try!(claims, Err(reason) => refusal(context, 401, &reason.to_string()));
    json_of(context, &claims)
}

#[middleware_fn]
async fn validate(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let order: Order = map_try!(context.get_json().await, Err(error) => refusal(context, 400, &error.to_string()));
    match order.total() {
        Ok(total) => json_of(context, &total),
        Err(wrong) => {
            context.status(422);
            json_of(context, &wrong)
        }
    }
}

#[middleware_fn]
async fn json(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let document: Document =
        map_try!(context.get_json().await, Err(error) => refusal(context, 400, &error.to_string()));
    json_of(context, &document)
}

#[middleware_fn]
async fn not_found(context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    Err(refusal(context, 404, "no such path, or not with this method"))
}

fn text(mut context: Ctx, text: &str) -> Ctx {
    context.content_type("text/plain");
    context.body(text);
    context
}

fn json_of(mut context: Ctx, value: &impl Serialize) -> MiddlewareResult<Ctx> {
    map_try!(context.json(value), Err(error) => refusal(context, 500, &error.to_string()));
    Ok(context)
}
