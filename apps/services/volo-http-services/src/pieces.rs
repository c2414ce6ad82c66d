//! Answers in pieces: a body that is a stream, and server-sent events.

use std::convert::Infallible;

use futures_util::{Stream, StreamExt as _, stream};
use http_body::Frame;
use services_contract::{CHUNKS, EVENT_EVERY, EVENTS};
use tokio::time::{Instant, interval_at};
use tokio_stream::wrappers::IntervalStream;
use volo_http::{
    body::Body,
    server::{
        param::PathParams,
        response::sse::{Event, Sse},
    },
};

use crate::routes::{Text, text};

pub async fn stream(PathParams(seed): PathParams<u32>) -> Text<Body> {
    let chunks =
        stream::iter(0..CHUNKS).map(move |index| Ok(Frame::data(services_contract::chunk(seed, index).into())));
    text(Body::from_stream(chunks))
}

pub async fn events(PathParams(seed): PathParams<u32>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    // By the clock, and not so long after the one before: a late event does not make the next one late.
    let clock = IntervalStream::new(interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY));
    let events = stream::iter(1..=EVENTS)
        .zip(clock)
        .map(move |(number, _)| Ok(Event::new().data(services_contract::event(seed, number))));
    Sse::new(events)
}
