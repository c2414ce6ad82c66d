//! The pool on its way to a handler: a middleware leaves it with each request and an extractor takes it from there, as with Cot's own
//! sessions. The context of a project has room for a database of Cot's only.

use cot::{
    Error,
    project::{RootHandler, RootHandlerBuilder},
    request::{Request, RequestHead, extractors::FromRequestHead},
};
use postgres_contract::Deadpool;
use tower::util::MapRequestLayer;

pub struct Database(pub Deadpool);

impl FromRequestHead for Database {
    async fn from_request_head(head: &RequestHead) -> cot::Result<Self> {
        let store = head.extensions.get().cloned();
        store.map(Self).ok_or_else(|| Error::internal("no database"))
    }
}

/// The handler of all requests with the pool. The error handler queries nothing.
pub fn with(store: Deadpool, handler: RootHandlerBuilder) -> RootHandler {
    let leave = move |mut request: Request| {
        request.extensions_mut().insert(store.clone());
        request
    };
    handler.main_handler_middleware(MapRequestLayer::new(leave)).build()
}
