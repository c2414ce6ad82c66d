//! A listing, compressed.

use warp::{Filter, Rejection, Reply, compression, path, reject, reply};

/// Its filters compress whatever they stand around and do not look at `Accept-Encoding`: another filter has to, as for each choice
/// in warp.
pub fn listing() -> impl Filter<Extract = (impl Reply,), Error = Rejection> + Clone + Send + Sync + 'static {
    let seed = path!("listing" / u32).and(warp::get());
    let listing = |seed| reply::json(&services_contract::listing(seed));
    let brotli = seed.and(accepts("br")).map(listing).with(compression::brotli());
    let gzip = seed.and(accepts("gzip")).map(listing).with(compression::gzip());
    brotli.or(gzip).or(seed.map(listing))
}

/// Passes what names this coding; the next filter is tried with what does not.
fn accepts(coding: &'static str) -> impl Filter<Extract = (), Error = Rejection> + Copy {
    warp::header::optional("accept-encoding")
        .and_then(async move |accepted: Option<String>| {
            let accepted = accepted.unwrap_or_default();
            if accepted.split(',').any(|item| names(item, coding)) {
                Ok(())
            } else {
                Err(reject::not_found())
            }
        })
        .untuple_one()
}

/// Whether an item such as `gzip;q=0.5` names this coding, and not to refuse it.
fn names(item: &str, coding: &str) -> bool {
    let (name, weight) = item.split_once(';').unwrap_or((item, "q=1"));
    let weight = weight.trim().trim_start_matches("q=");
    name.trim().eq_ignore_ascii_case(coding) && weight.parse().is_ok_and(|weight: f32| weight > 0.0)
}
