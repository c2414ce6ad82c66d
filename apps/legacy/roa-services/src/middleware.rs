//! Layers that do next to nothing: each counts itself in the context's storage. By a function added to the application, which is what
//! Roa's guide shows first.

use roa::{Context, Next, Result};

const LAYERS: &str = "layers";

pub async fn count(ctx: &mut Context, next: Next<'_>) -> Result {
    let before = layers(ctx);
    ctx.store(LAYERS, before + 1);
    next.await
}

/// How many layers the request has come through.
pub fn layers(ctx: &Context) -> u32 {
    ctx.load(LAYERS).map_or(0, |count| *count)
}

/// Roa's own 404 has no body.
pub async fn with_body(_: &mut Context, next: Next<'_>) -> Result {
    next.await.map_err(|mut status| {
        if status.message.is_empty() {
            "no such path".clone_into(&mut status.message);
        }
        status
    })
}
