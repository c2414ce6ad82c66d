//! What routes read of a request, and how they fill in a response.

use std::fmt::Display;

use hyperlane::{APPLICATION_JSON, CONTENT_TYPE, Context, HttpStatus, Status, TEXT_PLAIN, serde_json};
use serde::{Serialize, de::DeserializeOwned};
use services_contract::MAX_BODY_BYTES;

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

/// The number that the path ends in.
pub fn seed(ctx: &Context) -> Result<u32, Refusal> {
    only_get(ctx)?;
    let seed = ctx.try_get_route_param("seed").unwrap_or_default();
    seed.parse().map_err(Refusal::bad_request)
}

pub fn body<T: DeserializeOwned>(ctx: &Context) -> Result<T, Refusal> {
    only_post(ctx)?;
    if ctx.get_request().get_body().len() > MAX_BODY_BYTES {
        let reason = format!("the body is larger than {MAX_BODY_BYTES} bytes");
        return Err(Refusal::new(HttpStatus::PayloadTooLarge, reason));
    }
    ctx.get_request().try_get_body_json().map_err(Refusal::bad_request)
}

pub fn json(ctx: &mut Context, answer: Result<impl Serialize, Refusal>) -> Status {
    let text = answer.and_then(|answer| {
        serde_json::to_vec(&answer).map_err(|error| Refusal::new(HttpStatus::InternalServerError, error))
    });
    match text {
        Ok(body) => {
            ctx.get_mut_response()
                .set_header(CONTENT_TYPE, APPLICATION_JSON)
                .set_body(body);
            Status::Continue
        }
        Err(refusal) => refuse(ctx, &refusal),
    }
}

pub fn text(ctx: &mut Context, answer: Result<impl AsRef<[u8]>, Refusal>) -> Status {
    match answer {
        Ok(text) => {
            ctx.get_mut_response()
                .set_header(CONTENT_TYPE, TEXT_PLAIN)
                .set_body(text);
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
