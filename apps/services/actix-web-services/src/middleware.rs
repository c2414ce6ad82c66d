//! Layers that do next to nothing: each counts itself in the request's extensions. By `middleware::from_fn`, which Actix Web's
//! documentation names first.

use actix_web::{
    Error, HttpMessage as _, Route,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::{self, Next},
};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// `route` behind so many layers. An `App` has another type with each of them, and their number is not known before the server
/// starts; a route keeps its type.
pub fn layered(route: Route, layers: u32) -> Route {
    (0..layers).fold(route, |route, _| route.wrap(middleware::from_fn(count)))
}

async fn count(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    request.extensions_mut().get_or_insert_with(Layers::default).0 += 1;
    next.call(request).await
}
