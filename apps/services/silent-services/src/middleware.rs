//! Layers that do next to nothing: each counts itself in the request's extensions. By a type that is a `MiddleWareHandler`, added by
//! `Route::hook`, which is all that Silent's examples have.

use async_trait::async_trait;
use silent::{Handler as _, MiddleWareHandler, Next, Request, Response, Result, prelude::Route};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// `route`, and all that is below it, behind so many layers.
pub fn layered(route: Route, layers: u32) -> Route {
    (0..layers).fold(route, |route, _| route.hook(Count))
}

struct Count;

#[async_trait]
impl MiddleWareHandler for Count {
    async fn handle(&self, mut request: Request, next: &Next) -> Result<Response> {
        request.extensions_mut().get_or_insert_default::<Layers>().0 += 1;
        next.call(request).await
    }
}
