//! Answers in pieces: a body that is a stream, and server-sent events.

use std::convert::Infallible;

use futures_util::{StreamExt as _, stream};
use services_contract::{CHUNKS, EVENT_EVERY, EVENTS};
use tokio::time::{Instant, interval_at};
use tokio_stream::wrappers::IntervalStream;
use warp::{Filter, Rejection, Reply, path, reply, sse};

pub fn stream() -> impl Filter<Extract = (impl Reply,), Error = Rejection> + Copy {
    path!("stream" / u32).and(warp::get()).map(|seed| {
        let chunks =
            stream::iter(0..CHUNKS).map(move |index| Ok::<_, Infallible>(services_contract::chunk(seed, index)));
        reply::with_header(reply::stream(chunks), "content-type", "text/plain; charset=utf-8")
    })
}

pub fn events() -> impl Filter<Extract = (impl Reply,), Error = Rejection> + Copy {
    path!("events" / u32).and(warp::get()).map(|seed| {
        // By the clock, and not so long after the one before: a late event does not make the next one late.
        let clock = IntervalStream::new(interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY));
        let events = stream::iter(1..=EVENTS).zip(clock).map(move |(number, _)| {
            Ok::<_, Infallible>(sse::Event::default().data(services_contract::event(seed, number)))
        });
        sse::reply(events)
    })
}
