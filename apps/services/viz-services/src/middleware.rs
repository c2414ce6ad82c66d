//! Layers that do next to nothing: each counts itself in the request's extensions. By a function around a handler, which Viz's
//! documentation shows before types.

use viz::{Handler, Next, Request, Response, Result, Router};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// `router` behind so many layers.
pub fn layered(router: Router, layers: u32) -> Router {
    (0..layers).fold(router, |router, _| router.with_handler(count))
}

async fn count<H>((mut request, handler): Next<Request, H>) -> Result<Response>
where
    H: Handler<Request, Output = Result<Response>>,
{
    request.extensions_mut().get_or_insert_default::<Layers>().0 += 1;
    handler.call(request).await
}
