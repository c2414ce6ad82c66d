//! Layers that do next to nothing: each counts itself in the request's state. By a type that is a `Middleware`, the one form that
//! Gotham has.

use std::pin::Pin;

use gotham::{
    handler::HandlerFuture,
    middleware::Middleware,
    pipeline::{new_pipeline, single_pipeline},
    prelude::*,
    router::{Router, builder::build_router},
    state::State,
};
use services_contract::Settings;

use crate::routes::draw;

/// Layers that a request has come through.
#[derive(Clone, Copy, Debug, Default, StateData)]
pub struct Layers(pub u32);

#[derive(Clone, Copy, NewMiddleware)]
struct Count;

impl Middleware for Count {
    fn call<Chain>(self, mut state: State, chain: Chain) -> Pin<Box<HandlerFuture>>
    where
        Chain: FnOnce(State) -> Pin<Box<HandlerFuture>> + Send + 'static,
    {
        match Layers::try_borrow_mut_from(&mut state) {
            Some(Layers(count)) => *count += 1,
            None => state.put(Layers(1)),
        }
        chain(state)
    }
}

/// The application behind a pipeline of the requested number of layers.
pub fn layered(settings: &Settings) -> Router {
    // How long a pipeline is stands in its type, and nothing of Gotham's makes one in a loop: every length is written out.
    macro_rules! pipelines {
        ($($length:literal)*) => {
            let pipeline = new_pipeline();
            $(
                if settings.layers == $length {
                    let (chain, pipelines) = single_pipeline(pipeline.build());
                    return build_router(chain, pipelines, |route| draw(route, settings));
                }
                let pipeline = pipeline.add(Count);
            )*
            let _ = pipeline;
        };
    }
    pipelines!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);
    unreachable!("LAYERS is 0, 5 or 20")
}
