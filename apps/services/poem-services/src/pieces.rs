//! Answers in pieces: a body that is a stream, and server-sent events.

use std::io;

use futures_util::{StreamExt as _, stream::iter};
use poem::{
    Body, IntoResponse, handler,
    web::{
        Path,
        sse::{Event, SSE},
    },
};
use services_contract::{CHUNKS, EVENT_EVERY, EVENTS};
use tokio::time::{Instant, interval_at};
use tokio_stream::wrappers::IntervalStream;

#[handler]
pub fn stream(Path(seed): Path<u32>) -> impl IntoResponse {
    let chunks = iter(0..CHUNKS).map(move |index| Ok::<_, io::Error>(services_contract::chunk(seed, index)));
    Body::from_bytes_stream(chunks).with_content_type("text/plain; charset=utf-8")
}

#[handler]
pub fn events(Path(seed): Path<u32>) -> SSE {
    // By the clock, and not so long after the one before: a late event does not make the next one late.
    let clock = IntervalStream::new(interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY));
    let events = iter(1..=EVENTS).zip(clock);
    SSE::new(events.map(move |(number, _)| Event::message(services_contract::event(seed, number))))
}
