//! Answers in pieces, by `StreamBody` as in hyper's example `send_file`, next to answers in one piece.

use std::convert::Infallible;

use futures_util::{StreamExt as _, stream};
use http_body_util::{Either, Full, StreamBody, combinators::BoxBody};
use hyper::{
    Response, StatusCode,
    body::{Bytes, Frame},
    header::{CONTENT_TYPE, HeaderValue},
};
use hyper_app::exchange::{Answer, Refusal};
use services_contract::CHUNKS;

/// A stream is boxed, as bodies of several kinds are in hyper's guide; an answer in one piece need not pay for that.
pub type Reply = Response<Either<Full<Bytes>, BoxBody<Bytes, Infallible>>>;

pub fn whole(answer: Answer) -> Reply {
    answer.map(Either::Left)
}

pub fn stream(seed: &str) -> Result<Reply, Refusal> {
    let seed = seed.parse();
    let seed = seed.map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error))?;
    let chunks =
        stream::iter(0..CHUNKS).map(move |index| Ok(Frame::data(services_contract::chunk(seed, index).into())));
    let mut reply = Response::new(Either::Right(BoxBody::new(StreamBody::new(chunks))));
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    reply.headers_mut().insert(CONTENT_TYPE, text);
    Ok(reply)
}
