//! Files of a folder, by Gotham's own service.

use std::{io, path::Path, pin::Pin};

use futures_util::TryFutureExt as _;
use gotham::{
    anyhow,
    handler::{DirHandler, Handler, HandlerFuture, NewHandler},
    http::StatusCode,
    state::State,
};

/// The service, to which a path that no file can have is a fault of its own: it answers 500 where there is a zero byte in one.
#[derive(Clone)]
pub struct Files(DirHandler);

impl Files {
    pub fn new(folder: &Path) -> Self {
        Self(DirHandler::new(folder))
    }
}

impl NewHandler for Files {
    type Instance = Self;

    fn new_handler(&self) -> anyhow::Result<Self> {
        Ok(self.clone())
    }
}

impl Handler for Files {
    fn handle(self, state: State) -> Pin<Box<HandlerFuture>> {
        let answer = self.0.handle(state).map_err(|(state, error)| {
            let cause = error.downcast_cause_ref().map(io::Error::kind);
            if cause == Some(io::ErrorKind::InvalidInput) {
                return (state, error.with_status(StatusCode::NOT_FOUND));
            }
            (state, error)
        });
        Box::pin(answer)
    }
}
