//! Layers that do next to nothing: each counts itself in the request's extensions. By a type that is a layer of tower's, as Cot's own are.

use std::task::{Context, Poll};

use cot::{
    Error,
    project::{RootHandler, RootHandlerBuilder},
    request::Request,
    response::Response,
};
use services_contract::five_times;
use tower::{Layer, Service};

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers(pub u32);

/// The handler of all requests behind so many layers. Of errors there is another, which they leave alone.
pub fn layered<S, E>(handler: RootHandlerBuilder<S, E>, layers: u32) -> RootHandler
where
    S: Service<Request, Response = Response, Error = Error, Future: Send> + Send + Sync + Clone + 'static,
    E: Service<Request, Response = Response, Error = Error, Future: Send> + Send + Sync + Clone + 'static,
{
    match layers {
        0 => handler.build(),
        5 => five_times!(handler, main_handler_middleware, Count).build(),
        _ => {
            let five = five_times!(handler, main_handler_middleware, Count);
            let ten = five_times!(five, main_handler_middleware, Count);
            let fifteen = five_times!(ten, main_handler_middleware, Count);
            five_times!(fifteen, main_handler_middleware, Count).build()
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Count;

impl<S> Layer<S> for Count {
    type Service = Counted<S>;

    fn layer(&self, inner: S) -> Counted<S> {
        Counted(inner)
    }
}

#[derive(Clone, Debug)]
struct Counted<S>(S);

impl<S: Service<Request>> Service<Request> for Counted<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> S::Future {
        request.extensions_mut().get_or_insert_default::<Layers>().0 += 1;
        self.0.call(request)
    }
}
