//! What is wanted of a body beyond Ohkami's own answers. The server with service features has it from here.

use ohkami::{Config, FangAction, Request, Response, Status};

/// Above this, Ohkami itself refuses a body: unread, and without a word in the answer. Below it [`Limit`] does.
const MAX_READ_BYTES: usize = 16 * 1024 * 1024;

/// Ohkami's own but for that.
pub fn config() -> Config {
    Config {
        request_payload_limit: MAX_READ_BYTES,
        ..Config::default()
    }
}

/// Refuses a body of more bytes than these.
#[derive(Clone)]
pub struct Limit<const MAX_BYTES: usize>;

impl<const MAX_BYTES: usize> FangAction for Limit<MAX_BYTES> {
    async fn fore<'a>(&'a self, request: &'a mut Request) -> Result<(), Response> {
        if request.payload().is_some_and(|body| body.len() > MAX_BYTES) {
            let text = format!("the body is larger than {MAX_BYTES} bytes");
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
        if response.status == Status::NotFound {
            response.set_text("no such path");
        }
    }
}
