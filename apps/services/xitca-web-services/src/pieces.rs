//! An answer in pieces.

use std::convert::Infallible;

use futures_util::{StreamExt as _, stream};
use services_contract::CHUNKS;
use xitca_web::{
    body::{ResponseBody, StreamDataBody},
    bytes::Bytes,
    handler::params::Params,
    http::{
        const_header_value::TEXT_UTF8,
        header::{CONTENT_TYPE, HeaderName, HeaderValue},
    },
};

pub async fn stream(Params(seed): Params<u32>) -> ((HeaderName, HeaderValue), ResponseBody) {
    // Not a stream that knows how many chunks it has: xitca-web takes their number for the length of the body.
    let chunks = stream::unfold(0, move |index| async move {
        (index < CHUNKS).then(|| (Bytes::from(services_contract::chunk(seed, index)), index + 1))
    });
    let chunks = chunks.map(Ok::<_, Infallible>);
    (
        (CONTENT_TYPE, TEXT_UTF8),
        ResponseBody::boxed(StreamDataBody::new(chunks)),
    )
}
