//! What routes read of a request, and how they fill in a response.

use std::fmt::Display;

use hyperlane::{APPLICATION_JSON, CONTENT_TYPE, Context, HttpStatus, Status, TEXT_PLAIN, serde_json};
use serde::{Serialize, de::DeserializeOwned};

/// Why there is no answer, for the client.
pub struct Refusal {
    status: HttpStatus,
    reason: String,
}

impl Refusal {
    pub fn new(status: HttpStatus, reason: impl Display) -> Self {
        let reason = reason.to_string();
        Self { status, reason }
    }

    pub fn bad_request(reason: impl Display) -> Self {
        Self::new(HttpStatus::BadRequest, reason)
    }

    pub fn failure(reason: impl Display) -> Self {
        Self::new(HttpStatus::InternalServerError, reason)
    }
}

pub fn only_get(ctx: &Context) -> Result<(), Refusal> {
    only(ctx.get_request().get_method().is_get())
}

pub fn only_post(ctx: &Context) -> Result<(), Refusal> {
    only(ctx.get_request().get_method().is_post())
}

fn only(right: bool) -> Result<(), Refusal> {
    let refusal = || Refusal::new(HttpStatus::MethodNotAllowed, "not with this method");
    right.then_some(()).ok_or_else(refusal)
}

pub fn body<T: DeserializeOwned>(ctx: &Context) -> Result<T, Refusal> {
    ctx.get_request().try_get_body_json().map_err(Refusal::bad_request)
}

pub fn json(ctx: &mut Context, answer: Result<impl Serialize, Refusal>) -> Status {
    let text = answer.and_then(|answer| serde_json::to_vec(&answer).map_err(Refusal::failure));
    fill_in(ctx, APPLICATION_JSON, text)
}

pub fn text(ctx: &mut Context, answer: Result<impl AsRef<[u8]>, Refusal>) -> Status {
    fill_in(ctx, TEXT_PLAIN, answer)
}

pub fn fill_in(ctx: &mut Context, content_type: &str, answer: Result<impl AsRef<[u8]>, Refusal>) -> Status {
    match answer {
        Ok(body) => {
            ctx.get_mut_response()
                .set_header(CONTENT_TYPE, content_type)
                .set_body(body);
            Status::Continue
        }
        Err(refusal) => refuse(ctx, &refusal),
    }
}

pub fn refuse(ctx: &mut Context, refusal: &Refusal) -> Status {
    ctx.get_mut_response()
        .set_status_code(refusal.status.code())
        .set_header(CONTENT_TYPE, TEXT_PLAIN)
        .set_body(&refusal.reason);
    Status::Continue
}
