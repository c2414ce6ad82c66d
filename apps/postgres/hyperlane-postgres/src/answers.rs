//! What routes with a database read of a request.

use hyperlane::{Context, HttpStatus};
use hyperlane_app::Refusal;
use postgres_contract::Count;

/// The requested number of rows, from the query string.
pub fn count(ctx: &Context) -> Result<Count, Refusal> {
    let n = ctx.get_request().try_get_query_front("n");
    Count::from_query(n.as_deref()).map_err(Refusal::bad_request)
}

/// The number that the path ends in. Without one, it is the path of no order.
pub fn id(ctx: &Context) -> Result<i32, Refusal> {
    let id = ctx.try_get_route_param("id").unwrap_or_default();
    id.parse().map_err(|error| Refusal::new(HttpStatus::NotFound, error))
}
