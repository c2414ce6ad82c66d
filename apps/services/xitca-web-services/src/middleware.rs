//! Layers that do next to nothing: each counts itself in the request's extensions. By a function, which xitca-web's documentation
//! names first.

use xitca_web::{
    WebContext,
    error::Error,
    http::WebResponse,
    middleware::AsyncFn,
    service::{Service, object::ServiceObject},
};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

async fn count<S>(next: &S, mut ctx: WebContext<'_>) -> Result<WebResponse, Error>
where
    S: for<'r> Service<WebContext<'r>, Response = WebResponse, Error = Error>,
{
    ctx.req_mut().extensions_mut().get_or_insert_default::<Layers>().0 += 1;
    next.call(ctx).await
}

/// So many layers, one around the other. A service has another type with each of them, and their number is not known before the
/// server starts: hence the boxes.
pub struct Counts(pub u32);

type Boxed = Box<dyn for<'r> ServiceObject<WebContext<'r>, Response = WebResponse, Error = Error>>;

impl<S, E> Service<Result<S, E>> for Counts
where
    S: for<'r> Service<WebContext<'r>, Response = WebResponse, Error = Error> + 'static,
{
    type Response = Boxed;
    type Error = E;

    async fn call(&self, built: Result<S, E>) -> Result<Boxed, E> {
        let mut service: Boxed = Box::new(built?);
        for _ in 0..self.0 {
            // What `enclosed_fn` stands for.
            service = Box::new(Service::call(&AsyncFn(count), Ok(service)).await?);
        }
        Ok(service)
    }
}
