//! What is done before every route.

use hyperlane::{Context, Server, ServerHook, Status, Stream};
use services_contract::Settings;

const LAYERS: &str = "layers";

pub fn register(server: &mut Server, settings: &Settings) {
    for _ in 0..settings.layers {
        server.request_middleware::<Count>();
    }
    hyperlane_app::register(server);
}

/// Layers that a request has come through.
pub fn layers(ctx: &Context) -> u32 {
    ctx.try_get_attribute(LAYERS).unwrap_or_default()
}

/// A layer that does next to nothing: it counts itself in the request's attributes. Middleware applies to the whole server.
struct Count;

impl ServerHook for Count {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let layers = layers(ctx);
        ctx.set_attribute(LAYERS, layers + 1);
        Status::Continue
    }
}
