//! Answers in pieces: a body that is a stream, and server-sent events.

use std::convert::Infallible;

use futures_util::{Stream, StreamExt as _, stream};
use services_contract::{CHUNKS, EVENT_EVERY, EVENTS};
use tokio::time::{Instant, interval_at};
use tokio_stream::wrappers::IntervalStream;
use viz::{
    Body, Request, Response, ResponseExt as _, Result,
    types::{Event, Sse},
};

use crate::routes::seed;

pub async fn stream(request: Request) -> Result<Response> {
    let seed = seed(&request)?;
    let chunks = stream::iter(0..CHUNKS).map(move |index| Ok::<_, Infallible>(services_contract::chunk(seed, index)));
    Ok(Response::with(Body::from_stream(chunks), "text/plain; charset=utf-8"))
}

pub async fn events(request: Request) -> Result<Sse<impl Stream<Item = Event>>> {
    let seed = seed(&request)?;
    // By the clock, and not so long after the one before: a late event does not make the next one late.
    let clock = IntervalStream::new(interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY));
    let events = stream::iter(1..=EVENTS)
        .zip(clock)
        .map(move |(number, _)| Event::default().data(services_contract::event(seed, number)));
    Ok(Sse::new(events))
}
