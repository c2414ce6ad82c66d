//! Layers that do next to nothing: each counts itself in the request's context. By `middleware::from_fn`, which Volo-HTTP's
//! documentation names first.

use volo::context::Context as _;
use volo_http::{
    context::ServerContext,
    request::Request,
    response::Response,
    server::{
        IntoResponse as _,
        middleware::{self, Next},
        route::Router,
    },
};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// `router` behind so many layers.
pub fn layered(router: Router, layers: u32) -> Router {
    (0..layers).fold(router, |router, _| router.layer(middleware::from_fn(count)))
}

async fn count(cx: &mut ServerContext, request: Request, next: Next) -> Response {
    let extensions = cx.extensions_mut();
    let Layers(count) = extensions.get().copied().unwrap_or_default();
    extensions.insert(Layers(count + 1));
    next.run(cx, request).await.into_response()
}
