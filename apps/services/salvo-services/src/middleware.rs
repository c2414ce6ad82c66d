//! Layers that do next to nothing: each counts itself in the request's depot. By a handler that is a hoop, which is what Salvo's
//! documentation calls a middleware.

use salvo::{Depot, Router, handler};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// `router` behind so many layers.
pub fn layered(router: Router, layers: u32) -> Router {
    (0..layers).fold(router, |router, _| router.hoop(count))
}

#[handler]
async fn count(depot: &mut Depot) {
    match depot.get_typed_mut::<Layers>() {
        Ok(layers) => layers.0 += 1,
        Err(_) => {
            depot.insert_typed(Layers(1));
        }
    }
}
