//! What is wanted of a body beyond Ohkami's own answers.

use ohkami::{FangAction, Request, Response};
/// Refuses a body of more bytes than these.
#[derive(Clone)]
pub struct Limit(pub usize);

impl FangAction for Limit {
    async fn fore<'a>(&'a self, request: &'a mut Request) -> Result<(), Response> {
        let Self(max) = self;
        if request.payload().is_some_and(|body| body.len() > *max) {
            let text = format!("the body is larger than {max} bytes");
            return Err(Response::PayloadTooLarge().with_text(text));
        }
        Ok(())
    }
}

/// Ohkami's own 404 has no body.
#[derive(Clone)]
pub struct NotFound;

impl FangAction for NotFound {
    async fn back<'a>(&'a self, response: &'a mut Response) {
        if response.status == ohkami::Status::NotFound {
            response.set_text("no such path");
        }
    }
}
