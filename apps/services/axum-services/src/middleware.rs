//! Layers that do next to nothing: each counts itself in the request's extensions. By `middleware::from_fn`, which Axum's documentation
//! names first.

use axum::{Router, extract::Request, middleware, middleware::Next, response::Response};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// `router` behind so many layers.
pub fn layered(router: Router, layers: u32) -> Router {
    (0..layers).fold(router, |router, _| router.layer(middleware::from_fn(count)))
}

async fn count(mut request: Request, next: Next) -> Response {
    request.extensions_mut().get_or_insert_default::<Layers>().0 += 1;
    next.run(request).await
}
