//! Answers in pieces: a body that is a stream, and server-sent events.

use std::convert::Infallible;

use futures_util::{Stream, StreamExt as _, stream};
use services_contract::{CHUNKS, EVENT_EVERY, EVENTS};
use tako::{
    Bytes,
    body::TakoBody,
    extractors::path::Path,
    header::{CONTENT_TYPE, HeaderValue},
    sse::{Sse, SseEvent, SseEvents},
    types::Response,
};
use tokio::time::{Instant, interval_at};

pub async fn streamed(Path(seed): Path<u32>) -> Response {
    let chunk = move |index| Ok::<_, Infallible>(Bytes::from(services_contract::chunk(seed, index)));
    let chunks = stream::iter(0..CHUNKS).map(chunk);
    let mut response = Response::new(TakoBody::from_stream(chunks));
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response
}

pub async fn events(Path(seed): Path<u32>) -> SseEvents<impl Stream<Item = SseEvent>> {
    // By the clock, and not so long after the one before: a late event does not make the next one late.
    let clock = interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY);
    Sse::events(stream::unfold((clock, 1), move |(mut clock, number)| async move {
        if number > EVENTS {
            return None;
        }
        clock.tick().await;
        let event = SseEvent::data(services_contract::event(seed, number));
        Some((event, (clock, number + 1)))
    }))
}
