//! Layers that do next to nothing: each counts itself in the request's extensions. By a function, as in Tide's example `middleware`, which
//! shows one before types.

use std::pin::Pin;

use tide::{Next, Request, Result, Server};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// Puts so many layers before all routes of `app`.
pub fn add_layers(app: &mut Server<()>, layers: u32) {
    for _ in 0..layers {
        app.with(count);
    }
}

fn count<'next>(
    mut request: Request<()>,
    next: Next<'next, ()>,
) -> Pin<Box<dyn Future<Output = Result> + Send + 'next>> {
    Box::pin(async {
        let before = request.ext::<Layers>().copied().unwrap_or_default();
        request.set_ext(Layers(before.0 + 1));
        Ok(next.run(request).await)
    })
}
