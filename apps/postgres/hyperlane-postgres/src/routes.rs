//! The contract in hyperlane's own words: a route is a type with a path, and looks at the method by itself. Its documentation shows no
//! template engine: the page is made by Askama, as by most.

use hyperlane::{Context, HttpStatus, ServerHook, Status, Stream, TEXT_HTML, route};
use hyperlane_app::{Refusal, body, fill_in, json, only_get, only_post, text};
use postgres_contract::{NewOrder, NotCreated, Order, OrderId, Store as _, World, page, with_one_more};

use crate::{
    answers::{count, id},
    database::database,
};

#[route("/")]
struct IndexRoute;

impl ServerHook for IndexRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_get(ctx).map(|()| postgres_contract::GREETING);
        text(ctx, answer)
    }
}

#[route("/db")]
struct DbRoute;

impl ServerHook for DbRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = db(ctx).await;
        json(ctx, answer)
    }
}

async fn db(ctx: &Context) -> Result<World, Refusal> {
    only_get(ctx)?;
    database()?.world().await.map_err(Refusal::failure)
}

#[route("/queries")]
struct QueriesRoute;

impl ServerHook for QueriesRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = queries(ctx).await;
        json(ctx, answer)
    }
}

async fn queries(ctx: &Context) -> Result<Vec<World>, Refusal> {
    only_get(ctx)?;
    database()?.worlds(count(ctx)?).await.map_err(Refusal::failure)
}

#[route("/fortunes")]
struct FortunesRoute;

impl ServerHook for FortunesRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = fortunes(ctx).await;
        fill_in(ctx, TEXT_HTML, answer)
    }
}

async fn fortunes(ctx: &Context) -> Result<String, Refusal> {
    only_get(ctx)?;
    let fortunes = database()?.fortunes().await.map_err(Refusal::failure)?;
    page(&with_one_more(fortunes)).map_err(Refusal::failure)
}

#[route("/orders")]
struct CreateOrderRoute;

impl ServerHook for CreateOrderRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = create_order(ctx).await;
        json(ctx, answer)
    }
}

async fn create_order(ctx: &Context) -> Result<OrderId, Refusal> {
    only_post(ctx)?;
    let order: NewOrder = body(ctx)?;
    database()?.create_order(&order).await.map_err(|error| match error {
        NotCreated::Conflict => Refusal::new(HttpStatus::Conflict, error),
        NotCreated::Failed(error) => Refusal::failure(error),
    })
}

#[route("/orders/{id}")]
struct OrderRoute;

impl ServerHook for OrderRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = order(ctx).await;
        json(ctx, answer)
    }
}

async fn order(ctx: &Context) -> Result<Order, Refusal> {
    only_get(ctx)?;
    let found = database()?.order(id(ctx)?).await.map_err(Refusal::failure)?;
    found.ok_or_else(|| Refusal::new(HttpStatus::NotFound, "no such order"))
}

#[route("/updates")]
struct UpdatesRoute;

impl ServerHook for UpdatesRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = updates(ctx).await;
        json(ctx, answer)
    }
}

async fn updates(ctx: &Context) -> Result<Vec<World>, Refusal> {
    only_post(ctx)?;
    database()?.update_worlds(count(ctx)?).await.map_err(Refusal::failure)
}

/// Whatever no other route is for: by itself, hyperlane answers it with an empty 200.
#[route("/{path:.*}")]
struct UnknownRoute;

impl ServerHook for UnknownRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer: Result<&str, _> = Err(Refusal::new(HttpStatus::NotFound, "no such path"));
        text(ctx, answer)
    }
}
