//! Layers that do next to nothing: each counts itself in the request's extensions. By a type that is a `Middleware`, which Poem's
//! documentation names before functions.

use poem::{Endpoint, EndpointExt as _, Middleware, Request, Response, Result, endpoint::BoxEndpoint};
use services_contract::five_times;

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// `endpoint` behind so many layers, in one box, because each number of them is another type.
pub fn layered(endpoint: impl Endpoint<Output = Response> + 'static, layers: u32) -> BoxEndpoint<'static> {
    match layers {
        0 => endpoint.boxed(),
        5 => five_times!(endpoint, with, Count).boxed(),
        _ => {
            let ten = five_times!(five_times!(endpoint, with, Count), with, Count);
            five_times!(five_times!(ten, with, Count), with, Count).boxed()
        }
    }
}

struct Count;

impl<E: Endpoint> Middleware<E> for Count {
    type Output = Counted<E>;

    fn transform(&self, endpoint: E) -> Counted<E> {
        Counted(endpoint)
    }
}

struct Counted<E>(E);

impl<E: Endpoint> Endpoint for Counted<E> {
    type Output = E::Output;

    async fn call(&self, mut request: Request) -> Result<E::Output> {
        request.extensions_mut().get_or_insert_default::<Layers>().0 += 1;
        self.0.call(request).await
    }
}
