//! A listing, compressed.

use hyperlane::{ACCEPT_ENCODING, CONTENT_ENCODING, Compress, Context, ServerHook, Status, Stream};
use hyperlane_app::json;

use crate::answers::seed;

/// A response that names a coding is compressed by it. Nothing in hyperlane looks at `Accept-Encoding`: the route that names the coding has to.
pub struct ListingRoute;

impl ServerHook for ListingRoute {
    async fn new(_: &mut Stream, _: &mut Context) -> Self {
        Self
    }

    async fn handle(self, _: &mut Stream, ctx: &mut Context) -> Status {
        let answer = seed(ctx).map(services_contract::listing);
        if answer.is_ok()
            && let Some(coding) = accepted(ctx)
        {
            ctx.get_mut_response().set_header(CONTENT_ENCODING, coding.to_string());
        }
        json(ctx, answer)
    }
}

fn accepted(ctx: &Context) -> Option<Compress> {
    let accepted = ctx.get_request().try_get_header_back(ACCEPT_ENCODING)?;
    [Compress::Br, Compress::Gzip]
        .into_iter()
        .find(|coding| accepted.split(',').any(|item| names(item, *coding)))
}

/// Whether an item such as `gzip;q=0.5` names this coding, and not to refuse it.
fn names(item: &str, coding: Compress) -> bool {
    let (name, weight) = item.split_once(';').unwrap_or((item, "q=1"));
    let weight = weight.trim().trim_start_matches("q=");
    name.trim().parse() == Ok(coding) && weight.parse().is_ok_and(|weight: f32| weight > 0.0)
}
