//! Answers in pieces: a body that is a stream, and server-sent events.

use std::convert::Infallible;

use futures_util::{Stream, StreamExt as _, stream};
use rama::http::{
    Body,
    header::CONTENT_TYPE,
    service::web::{
        extract::Path,
        response::{IntoResponse, Sse},
    },
    sse::Event,
};
use services_contract::{CHUNKS, EVENT_EVERY, EVENTS};
use tokio::time::{Instant, interval_at};

pub async fn stream(Path(seed): Path<u32>) -> impl IntoResponse {
    let chunks = stream::iter(0..CHUNKS).map(move |index| Ok::<_, Infallible>(services_contract::chunk(seed, index)));
    ([(CONTENT_TYPE, "text/plain; charset=utf-8")], Body::from_stream(chunks))
}

pub async fn events(Path(seed): Path<u32>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    // By the clock, and not so long after the one before: a late event does not make the next one late.
    let clock = interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY);
    let events = stream::unfold((clock, 1), move |(mut clock, number)| async move {
        if number > EVENTS {
            return None;
        }
        clock.tick().await;
        let event = Event::new().with_data(services_contract::event(seed, number));
        Some((Ok(event), (clock, number + 1)))
    });
    Sse::new(events)
}
