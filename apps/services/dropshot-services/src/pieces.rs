//! An answer in pieces, by `StreamBody` as in the example `file_server`.

use std::convert::Infallible;

use dropshot::{Body, HttpError, NoCompression, Path, RequestContext, endpoint};
use futures_util::{StreamExt as _, stream};
use http::{Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::StreamBody;
use hyper::body::{Bytes, Frame};
use services_contract::CHUNKS;

use crate::messages::Seed;

#[endpoint { method = GET, path = "/stream/{seed}" }]
pub async fn streamed(_: RequestContext<()>, path: Path<Seed>) -> Result<Response<Body>, HttpError> {
    let Seed { seed } = path.into_inner();
    let chunk = move |index| Bytes::from(services_contract::chunk(seed, index));
    let chunks = stream::iter(0..CHUNKS).map(move |index| Ok::<_, Infallible>(Frame::data(chunk(index))));
    Ok(Response::builder()
        .status(StatusCode::OK)
        .header(CONTENT_TYPE, "text/plain")
        .extension(NoCompression)
        .body(Body::wrap(StreamBody::new(chunks)))?)
}
