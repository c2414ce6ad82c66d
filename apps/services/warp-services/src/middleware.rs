//! Layers that do next to nothing: each adds itself to what the filter within extracts. By `warp::wrap_fn`, which is warp's own
//! middleware: a function that makes of a filter another one. What belongs to a request is what its filters extract.

use warp::{Filter, filters::BoxedFilter};

/// `filter`, which extracts how many layers it stands behind, behind so many more.
pub fn layered(filter: BoxedFilter<(u32,)>, layers: u32) -> BoxedFilter<(u32,)> {
    (0..layers).fold(filter, |filter, _| filter.with(warp::wrap_fn(count)))
}

/// Boxed, for else each layer would have a type of its own.
fn count(filter: BoxedFilter<(u32,)>) -> BoxedFilter<(u32,)> {
    filter.map(|layers| layers + 1).boxed()
}
