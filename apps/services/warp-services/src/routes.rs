//! The contract in warp's own words. Its own answers to what is malformed or too large have a body.

use serde::de::DeserializeOwned;
use services_contract::{Document, MAX_BODY_BYTES, Order, Route, Settings};
use warp::{
    Filter, Rejection, Reply,
    filters::BoxedFilter,
    http::StatusCode,
    path,
    reply::{self, Response},
};

use crate::{compressed, middleware::layered, pieces, upload, websocket};

/// The method comes after the path: a method that does not match would outweigh a path that does not, and unknown paths
/// would be answered with 405.
pub fn routes(
    settings: &Settings,
) -> impl Filter<Extract = (impl Reply,), Error = Rejection> + Clone + Send + Sync + 'static {
    let index = path::end().and(warp::get()).map(|| services_contract::GREETING);
    let auth = path!("auth")
        .and(warp::get())
        .and(warp::header::optional("authorization"))
        .map(auth);
    let validate = path!("validate").and(json_body()).map(validate);
    let json = path!("json")
        .and(json_body())
        .map(|document: Document| reply::json(&document));
    let layers = path!("middleware").and(warp::get()).map(|| 0).boxed();
    let layers = layered(layers, settings.layers).map(|count: u32| count.to_string());
    // A common prefix stands once: <https://docs.rs/warp/0.4.3/warp/filters/path/index.html#routing>.
    let areas: Vec<_> = services_contract::areas(settings.routes)
        .map(|(area, routes)| {
            let things: Vec<_> = routes.map(thing).collect();
            segment(&area.path()).and(one_of(&things)).boxed()
        })
        .collect();

    index
        .or(auth)
        .or(validate)
        .or(json)
        .or(layers)
        .or(one_of(&areas))
        .or(more(settings))
        .recover(not_found)
}

/// Boxed and last, so that the others do not pay for them: each is tried in turn.
fn more(settings: &Settings) -> BoxedFilter<(impl Reply + use<>,)> {
    upload::upload()
        .or(warp::path("static").and(warp::fs::dir(settings.files.clone())))
        .or(compressed::listing())
        .or(pieces::stream())
        .or(pieces::events())
        .or(websocket::echo())
        .boxed()
}

/// By itself, `json` reads a body of any size. The limit goes by `Content-Length`, and answers 411 where there is none.
fn json_body<T: DeserializeOwned + Send>() -> impl Filter<Extract = (T,), Error = Rejection> + Copy {
    warp::post()
        .and(warp::body::content_length_limit(MAX_BODY_BYTES as u64))
        .and(warp::body::json())
}

/// One of these: `or`, which is warp's router, tries one after the other. Boxed, for else each would have another type; and
/// halved, for in a chain each stands within the next, and so many are more than a stack holds (seanmonstar/warp#811).
fn one_of(routes: &[BoxedFilter<(String,)>]) -> BoxedFilter<(String,)> {
    if let [route] = routes {
        return route.clone();
    }
    let (first, second) = routes.split_at(routes.len() / 2);
    one_of(first).or(one_of(second)).unify().boxed()
}

fn thing(route: Route) -> BoxedFilter<(String,)> {
    let thing = segment(&route.path_in_area(""));
    if route.has_parameter() {
        thing.and(path::param()).and(path::end()).and(warp::get()).boxed()
    } else {
        let number = route.number;
        let thing = thing.and(path::end()).and(warp::get());
        thing.map(move || number.to_string()).boxed()
    }
}

/// `path` takes a segment, and keeps it.
fn segment(path: &str) -> impl Filter<Extract = (), Error = Rejection> + Copy + use<> {
    let segment: &'static str = path.trim_matches('/').to_owned().leak();
    warp::path(segment)
}

#[expect(clippy::needless_pass_by_value, reason = "a filter hands over what it extracted")]
fn auth(authorization: Option<String>) -> Response {
    match services_contract::claims(authorization.as_deref()) {
        Ok(claims) => reply::json(&claims).into_response(),
        Err(reason) => reply::with_status(reason.to_string(), StatusCode::UNAUTHORIZED).into_response(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a filter hands over what it extracted")]
fn validate(order: Order) -> Response {
    match order.total() {
        Ok(total) => reply::json(&total).into_response(),
        Err(wrong) => reply::with_status(reply::json(&wrong), StatusCode::UNPROCESSABLE_ENTITY).into_response(),
    }
}

/// Its own answer to an unknown path has no body.
async fn not_found(rejection: Rejection) -> Result<impl Reply, Rejection> {
    if rejection.is_not_found() {
        Ok(reply::with_status("no such path", StatusCode::NOT_FOUND))
    } else {
        Err(rejection)
    }
}
