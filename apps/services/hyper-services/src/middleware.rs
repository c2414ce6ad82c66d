//! Layers that do next to nothing: each counts itself in the request's extensions. By a service around a service, which hyper's
//! guide names first (<https://hyper.rs/guides/1/server/middleware/>).

use std::{convert::Infallible, pin::Pin, sync::Arc};

use hyper::{
    Request,
    body::Incoming,
    service::{Service, service_fn},
};

use crate::{pieces::Reply, routes};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

type Answering = Pin<Box<dyn Future<Output = Result<Reply, Infallible>> + Send>>;
type Boxed =
    Arc<dyn Service<Request<Incoming>, Response = Reply, Error = Infallible, Future = Answering> + Send + Sync>;

/// The routes behind so many layers. A service has another type with each of them, and their number is not known before the
/// server starts: hence the boxes.
pub fn layered(layers: u32) -> Boxed {
    let service = service_fn(|request| -> Answering { Box::pin(routes::answer(request)) });
    (0..layers).fold(Arc::new(service), |inner: Boxed, _| Arc::new(Count { inner }))
}

struct Count<S> {
    inner: S,
}

impl<S: Service<Request<Incoming>>> Service<Request<Incoming>> for Count<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().get_or_insert_default::<Layers>().0 += 1;
        self.inner.call(request)
    }
}
