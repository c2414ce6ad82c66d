//! Layers that do next to nothing: each counts itself in the request's context. By `FangAction`, which Ohkami's documentation
//! shows for one's own middleware.

use ohkami::{FangAction, Ohkami, Request, Response, Route as _};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// `app` behind so many layers: each is the only fang of an Ohkami around, for how many an Ohkami has is a matter of its type.
pub fn layered(app: Ohkami, layers: u32) -> Ohkami {
    (0..layers).fold(app, |app, _| Ohkami::new((Count, "/".By(app))))
}

#[derive(Clone)]
struct Count;

impl FangAction for Count {
    async fn fore<'a>(&'a self, request: &'a mut Request) -> Result<(), Response> {
        let Layers(count) = request.context.get().copied().unwrap_or_default();
        request.context.set(Layers(count + 1));
        Ok(())
    }
}
