//! Layers that do next to nothing: each counts itself in the request's extensions. By the traits `Middleware` and `Service`, as
//! ntex's documentation and its own middleware have it.

use ntex::{
    Middleware, Service, ServiceCtx, SharedCfg,
    web::{WebRequest, WebResponse},
};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// A layer.
pub struct Count;

impl<S> Middleware<S, SharedCfg> for Count {
    type Service = CountService<S>;

    fn create(&self, service: S, _: SharedCfg) -> Self::Service {
        CountService { service }
    }
}

pub struct CountService<S> {
    service: S,
}

impl<S, E> Service<WebRequest<E>> for CountService<S>
where
    S: Service<WebRequest<E>, Response = WebResponse>,
{
    type Response = WebResponse;
    type Error = S::Error;

    ntex::forward_poll!(service);
    ntex::forward_ready!(service);
    ntex::forward_shutdown!(service);

    async fn call(&self, request: WebRequest<E>, ctx: ServiceCtx<'_, Self>) -> Result<WebResponse, S::Error> {
        let Layers(count) = request.extensions().get().copied().unwrap_or_default();
        request.extensions_mut().insert(Layers(count + 1));
        ctx.call(&self.service, request).await
    }
}
