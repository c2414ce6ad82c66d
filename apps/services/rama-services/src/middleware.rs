//! Layers that do next to nothing: each counts itself in the request's extensions. By a type that is a `Layer`, which is what rama calls
//! a middleware, and several of them by a tuple, as in its examples.

use rama::{Layer, Service, extensions::ExtensionsMut as _, extensions::ExtensionsRef as _, http::Request};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

type Five = (Count, Count, Count, Count, Count);

pub const FIVE: Five = (Count, Count, Count, Count, Count);
pub const TWENTY: (Five, Five, Five, Five) = (FIVE, FIVE, FIVE, FIVE);

#[derive(Clone, Copy, Debug)]
pub struct Count;

impl<S> Layer<S> for Count {
    type Service = Counted<S>;

    fn layer(&self, inner: S) -> Counted<S> {
        Counted(inner)
    }
}

#[derive(Clone, Debug)]
pub struct Counted<S>(S);

impl<S: Service<Request>> Service<Request> for Counted<S> {
    type Output = S::Output;
    type Error = S::Error;

    /// What is inserted hides what was there before, which stays: rama's extensions only grow.
    async fn serve(&self, mut request: Request) -> Result<S::Output, S::Error> {
        let before = request.extensions().get::<Layers>().copied().unwrap_or_default();
        request.extensions_mut().insert(Layers(before.0 + 1));
        self.0.serve(request).await
    }
}
