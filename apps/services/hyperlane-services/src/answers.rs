//! What routes with service features read of a request.

use hyperlane::{Context, HttpStatus};
use hyperlane_app::{Refusal, only_get, only_post};
use serde::de::DeserializeOwned;
use services_contract::MAX_BODY_BYTES;

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
    hyperlane_app::body(ctx)
}
