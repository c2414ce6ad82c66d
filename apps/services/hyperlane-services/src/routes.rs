//! The contract in hyperlane's own words: a route is a type with a path, and looks at the method by itself.

use hyperlane::{AUTHORIZATION, Context, HttpStatus, Server, ServerHook, Status, Stream};
use hyperlane_app::{Refusal, json, only_get, refuse, text};
use services_contract::{Document, Order, Settings};

use crate::{answers::body, compressed::ListingRoute, events::EventsRoute, hooks, upload::UploadRoute};

pub fn register(server: &mut Server, settings: &Settings) {
    server
        .route::<IndexRoute>("/")
        .route::<LayersRoute>("/middleware")
        .route::<AuthRoute>("/auth")
        .route::<ValidateRoute>("/validate")
        .route::<DocumentRoute>("/json")
        .route::<UploadRoute>("/upload")
        .route::<ListingRoute>("/listing/{seed}")
        .route::<EventsRoute>("/events/{seed}")
        .route::<UnknownRoute>("/{path:.*}");
    for route in services_contract::routes(settings.routes) {
        let path = route.path("{id}");
        if route.has_parameter() {
            server.route::<ParameterRoute>(path);
        } else {
            server.route::<NumberRoute>(path);
        }
    }
}

struct IndexRoute;

impl ServerHook for IndexRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_get(ctx).map(|()| services_contract::GREETING);
        text(ctx, answer)
    }
}

struct ParameterRoute;

impl ServerHook for ParameterRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_get(ctx).map(|()| ctx.try_get_route_param("id").unwrap_or_default());
        text(ctx, answer)
    }
}

/// A route is a type, and types are not made when a server starts: it reads its number from the path that the router has found.
struct NumberRoute;

impl ServerHook for NumberRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_get(ctx).map(|()| {
            let number = ctx.get_request().get_path().rsplit_once("thing");
            number.map_or_else(String::new, |(_, number)| number.to_owned())
        });
        text(ctx, answer)
    }
}

struct LayersRoute;

impl ServerHook for LayersRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_get(ctx).map(|()| hooks::layers(ctx).to_string());
        text(ctx, answer)
    }
}

struct AuthRoute;

impl ServerHook for AuthRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = only_get(ctx).and_then(|()| {
            let authorization = ctx.get_request().try_get_header_back(AUTHORIZATION);
            let claims = services_contract::claims(authorization.as_deref());
            claims.map_err(|reason| Refusal::new(HttpStatus::Unauthorized, reason))
        });
        json(ctx, answer)
    }
}

struct ValidateRoute;

impl ServerHook for ValidateRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        match body(ctx).map(|order: Order| order.total()) {
            Ok(Ok(total)) => json(ctx, Ok(total)),
            Ok(Err(wrong)) => {
                ctx.get_mut_response()
                    .set_status_code(HttpStatus::UnprocessableEntity.code());
                json(ctx, Ok(wrong))
            }
            Err(refusal) => refuse(ctx, &refusal),
        }
    }
}

struct DocumentRoute;

impl ServerHook for DocumentRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = body::<Document>(ctx);
        json(ctx, answer)
    }
}

/// Whatever no other route is for: by itself, hyperlane answers it with an empty 200.
struct UnknownRoute;

impl ServerHook for UnknownRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        refuse(ctx, &Refusal::new(HttpStatus::NotFound, "no such path"))
    }
}
