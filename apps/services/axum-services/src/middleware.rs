//! Layers that do next to nothing: each counts itself in the request's extensions. By `middleware::from_fn`, which Axum's documentation
//! names first, and several of them by `ServiceBuilder`, as it recommends.

use axum::{Router, extract::Request, middleware::Next, middleware::from_fn, response::Response};
use services_contract::five_times;
use tower::ServiceBuilder;

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// `router` behind so many layers.
pub fn layered(router: Router, layers: u32) -> Router {
    let none = ServiceBuilder::new();
    match layers {
        0 => router,
        5 => router.layer(five_times!(none, layer, from_fn(count))),
        _ => {
            let ten = five_times!(five_times!(none, layer, from_fn(count)), layer, from_fn(count));
            router.layer(five_times!(
                five_times!(ten, layer, from_fn(count)),
                layer,
                from_fn(count)
            ))
        }
    }
}

async fn count(mut request: Request, next: Next) -> Response {
    request.extensions_mut().get_or_insert_default::<Layers>().0 += 1;
    next.run(request).await
}
