//! Layers that do next to nothing: each counts itself in the request's extensions. By a function over the whole router, which is what
//! Tako's documentation calls a middleware.

use tako::{
    middleware::Next,
    router::Router,
    types::{Request, Response},
};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// Puts so many layers before all routes of `router`.
pub fn add_layers(router: &Router, layers: u32) {
    for _ in 0..layers {
        router.middleware(count);
    }
}

async fn count(mut request: Request, next: Next) -> Response {
    request.extensions_mut().get_or_insert_default::<Layers>().0 += 1;
    next.run(request).await
}
