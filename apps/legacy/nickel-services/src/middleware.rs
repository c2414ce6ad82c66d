//! Layers that do next to nothing: each counts itself in the request's extensions. By a function, added by `Nickel::utilize`, as in its
//! example `logger_middleware`.
#![expect(clippy::result_large_err, reason = "what a handler of nickel returns")]

use nickel::{MiddlewareResult, Nickel, Request, Response};
use plugin::Extensible as _;
use typemap::Key;

/// Layers that a request has come through.
struct Layers;

impl Key for Layers {
    type Value = u32;
}

/// Puts so many layers before the routes that are added to `server` from now on.
pub fn add_layers(server: &mut Nickel, layers: u32) {
    for _ in 0..layers {
        server.utilize(count);
    }
}

fn count<'mw>(request: &mut Request, response: Response<'mw>) -> MiddlewareResult<'mw> {
    *request.extensions_mut().entry::<Layers>().or_insert(0) += 1;
    response.next_middleware()
}

/// How many layers the request has come through.
pub fn layers(request: &Request) -> u32 {
    request.extensions().get::<Layers>().copied().unwrap_or_default()
}
