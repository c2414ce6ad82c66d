//! The server that the guide writes, for what its clients notice.

use std::{env, time::Duration};

use hyperlane::{
    APPLICATION_JSON, CONTENT_TYPE, Context, Server, ServerConfig, ServerError, ServerHook, Status, Stream, hyperlane,
    is_get_method, is_post_method, response_middleware, route, serde_json, try_send,
};
use serde::{Deserialize, Serialize};
use tokio::time;

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

/// A route is a type with this; the method is an attribute of its function.
macro_rules! handler {
    ($method:meta, $route:ident, |$ctx:ident| { $($handle:tt)* }) => {
        impl ServerHook for $route {
            async fn new(_: &mut Stream, _: &mut Context) -> Self {
                Self
            }

            #[$method]
            async fn handle(self, _: &mut Stream, $ctx: &mut Context) -> Status {
                $($handle)*
                Status::Continue
            }
        }
    };
}

#[route("/hello")]
struct HelloRoute;
handler!(is_get_method, HelloRoute, |ctx| {
    ctx.get_mut_response().set_body("Hello, World!");
});

#[route("/slow")]
struct SlowRoute;
handler!(is_get_method, SlowRoute, |ctx| {
    time::sleep(Duration::from_secs(1)).await;
    ctx.get_mut_response().set_body("slow");
});

// No GET /stream: hyperlane leaves the length out of server-sent events alone.

#[route("/query")]
struct QueryRoute;
handler!(is_get_method, QueryRoute, |ctx| {
    match ctx.get_request().try_get_query_front("q") {
        Some(q) => ctx.get_mut_response().set_body(q),
        None => ctx.get_mut_response().set_status_code(400),
    };
});

#[route("/p/{x}")]
struct PathRoute;
handler!(is_get_method, PathRoute, |ctx| {
    let x = ctx.get_route_param("x");
    ctx.get_mut_response().set_body(x);
});

#[route("/no-content")]
struct NoContentRoute;
handler!(is_get_method, NoContentRoute, |ctx| {
    ctx.get_mut_response().set_status_code(204);
});

#[route("/not-modified")]
struct NotModifiedRoute;
handler!(is_get_method, NotModifiedRoute, |ctx| {
    ctx.get_mut_response().set_status_code(304);
});

#[route("/json")]
struct JsonRoute;
handler!(is_post_method, JsonRoute, |ctx| {
    let person = ctx.get_request().try_get_body_json::<Person>();
    match person.and_then(|person| serde_json::to_vec(&person)) {
        Ok(body) => ctx
            .get_mut_response()
            .set_header(CONTENT_TYPE, APPLICATION_JSON)
            .set_body(body),
        Err(error) => ctx.get_mut_response().set_status_code(400).set_body(error.to_string()),
    };
});

#[route("/form")]
struct FormRoute;
handler!(is_post_method, FormRoute, |ctx| {
    match ctx.get_request().get_body_form().remove("name") {
        Some(name) => ctx.get_mut_response().set_body(name),
        None => ctx.get_mut_response().set_status_code(400),
    };
});

#[route("/bytes")]
struct BytesRoute;
handler!(is_post_method, BytesRoute, |ctx| {
    let length = ctx.get_request().get_body().len();
    ctx.get_mut_response().set_body(length.to_string());
});

#[route("/unread")]
struct UnreadRoute;
handler!(is_post_method, UnreadRoute, |ctx| {
    ctx.get_mut_response().set_body("ok");
});

#[route("/panic")]
struct PanicRoute;

impl ServerHook for PanicRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    #[is_get_method]
    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        panic!("asked to")
    }
}

/// Sends what a route has filled in.
#[response_middleware]
struct Send;

impl ServerHook for Send {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    #[try_send]
    async fn handle(self, stream: &mut Stream, ctx: &mut Context) -> Status {
        Status::Continue
    }
}

#[tokio::main]
#[hyperlane(server: Server, server_config: ServerConfig)]
async fn main() -> Result<(), Box<ServerError>> {
    server_config.set_address(env::var("ADDR").expect("ADDR is set"));
    server.server_config(server_config);
    server.run().await?.wait().await;
    Ok(())
}
