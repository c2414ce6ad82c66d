//! The contract in hyperlane's own words: a route is a type with a path, and looks at the method by itself.

use std::fmt::Display;

use contract::{Hello, Index, Payload, TIMED};
use hyperlane::{
    APPLICATION_JSON, CONTENT_TYPE, Context, HttpStatus, ServerHook, Status, Stream, TEXT_PLAIN, route, serde_json,
};
use serde::Serialize;
use tokio::{task, time};

/// Why there is no answer, for the client.
struct Refusal {
    status: HttpStatus,
    reason: String,
}

#[route("/")]
struct IndexRoute;

impl ServerHook for IndexRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        match only_get(ctx) {
            Ok(()) => text(ctx, HttpStatus::Ok, contract::GREETING),
            Err(refusal) => refuse(ctx, &refusal),
        }
    }
}

#[route("/hello")]
struct HelloRoute;

impl ServerHook for HelloRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_get(ctx).map(|()| Hello::new());
        json(ctx, answer)
    }
}

#[route("/heavy")]
struct HeavyRoute;

impl ServerHook for HeavyRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_get(ctx).map(|()| contract::heavy());
        json(ctx, answer)
    }
}

#[route("/cpu")]
struct CpuRoute;

impl ServerHook for CpuRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_get(ctx).and_then(|()| index(ctx)).map(contract::fib);
        json(ctx, answer)
    }
}

#[route("/ram")]
struct RamRoute;

impl ServerHook for RamRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_get(ctx).map(|()| contract::ram());
        json(ctx, answer)
    }
}

#[route("/test/simple")]
struct SimpleRoute;

impl ServerHook for SimpleRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = payload(ctx).map(|payload| contract::greet(&payload));
        json(ctx, answer)
    }
}

#[route("/test/timed")]
struct TimedRoute;

impl ServerHook for TimedRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let payload = payload(ctx);
        if payload.is_ok() {
            time::sleep(TIMED).await;
        }
        json(ctx, payload.map(|payload| contract::greet(&payload)))
    }
}

#[route("/test/bcrypt")]
struct BcryptRoute;

impl ServerHook for BcryptRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = match payload(ctx) {
            Ok(payload) => task::spawn_blocking(move || contract::bcrypt(&payload))
                .await
                .map_err(failure)
                .and_then(|hash| hash.map_err(failure)),
            Err(refusal) => Err(refusal),
        };
        json(ctx, answer)
    }
}

#[route("/test/bcrypt-inline")]
struct BcryptInlineRoute;

impl ServerHook for BcryptInlineRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = payload(ctx).and_then(|payload| contract::bcrypt(&payload).map_err(failure));
        json(ctx, answer)
    }
}

/// Whatever no other route is for: by itself, hyperlane answers it with an empty 200.
#[route("/{path:.*}")]
struct UnknownRoute;

impl ServerHook for UnknownRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        text(ctx, HttpStatus::NotFound, "no such path")
    }
}

fn only_get(ctx: &Context) -> Result<(), Refusal> {
    if ctx.get_request().get_method().is_get() {
        Ok(())
    } else {
        Err(wrong_method())
    }
}

fn index(ctx: &Context) -> Result<Index, Refusal> {
    let n = ctx.get_request().try_get_query_front("n");
    Index::from_query(n.as_deref()).map_err(bad_request)
}

fn payload(ctx: &Context) -> Result<Payload, Refusal> {
    if ctx.get_request().get_method().is_post() {
        ctx.get_request().try_get_body_json().map_err(bad_request)
    } else {
        Err(wrong_method())
    }
}

fn json(ctx: &mut Context, answer: Result<impl Serialize, Refusal>) -> Status {
    match answer.and_then(|answer| serde_json::to_vec(&answer).map_err(failure)) {
        Ok(body) => {
            ctx.get_mut_response()
                .set_header(CONTENT_TYPE, APPLICATION_JSON)
                .set_body(body);
            Status::Continue
        }
        Err(refusal) => refuse(ctx, &refusal),
    }
}

fn refuse(ctx: &mut Context, refusal: &Refusal) -> Status {
    text(ctx, refusal.status, &refusal.reason)
}

fn text(ctx: &mut Context, status: HttpStatus, text: &str) -> Status {
    ctx.get_mut_response()
        .set_status_code(status.code())
        .set_header(CONTENT_TYPE, TEXT_PLAIN)
        .set_body(text);
    Status::Continue
}

fn wrong_method() -> Refusal {
    Refusal {
        status: HttpStatus::MethodNotAllowed,
        reason: "not with this method".to_owned(),
    }
}

fn bad_request(error: impl Display) -> Refusal {
    Refusal {
        status: HttpStatus::BadRequest,
        reason: error.to_string(),
    }
}

fn failure(error: impl Display) -> Refusal {
    Refusal {
        status: HttpStatus::InternalServerError,
        reason: error.to_string(),
    }
}
