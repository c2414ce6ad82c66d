//! The contract in hyperlane's own words: a route is a type with a path, and looks at the method by itself.

use contract::{Hello, Index, Payload, TIMED};
use hyperlane::{Context, HttpStatus, ServerHook, Status, Stream, route};
use hyperlane_app::{Refusal, body, json, only_get, only_post, refuse, text};
use tokio::{task, time};

#[route("/")]
struct IndexRoute;

impl ServerHook for IndexRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_get(ctx).map(|()| contract::GREETING);
        text(ctx, answer)
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
                .map_err(Refusal::failure)
                .and_then(|hash| hash.map_err(Refusal::failure)),
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
        let answer = payload(ctx).and_then(|payload| contract::bcrypt(&payload).map_err(Refusal::failure));
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
        refuse(ctx, &Refusal::new(HttpStatus::NotFound, "no such path"))
    }
}

fn index(ctx: &Context) -> Result<Index, Refusal> {
    let n = ctx.get_request().try_get_query_front("n");
    Index::from_query(n.as_deref()).map_err(Refusal::bad_request)
}

fn payload(ctx: &Context) -> Result<Payload, Refusal> {
    only_post(ctx)?;
    body(ctx)
}
