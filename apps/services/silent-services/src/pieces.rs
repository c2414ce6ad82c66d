//! Answers in pieces: a body that is a stream, and server-sent events.

use std::convert::Infallible;

use futures_util::{StreamExt as _, stream};
use services_contract::{CHUNKS, EVENT_EVERY, EVENTS};
use silent::{
    Response, Result,
    extractor::Path,
    headers::ContentType,
    prelude::{SSEEvent, sse_reply, stream_body},
};
use tokio::time::{Instant, interval_at};

pub async fn streamed(Path(seed): Path<u32>) -> Result<Response> {
    let chunks = stream::iter(0..CHUNKS).map(move |index| Ok::<_, Infallible>(services_contract::chunk(seed, index)));
    Ok(Response::empty()
        .with_typed_header(ContentType::text_utf8())
        .with_body(stream_body(chunks)))
}

pub async fn events(Path(seed): Path<u32>) -> Result<Response> {
    // By the clock, and not so long after the one before: a late event does not make the next one late.
    let clock = interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY);
    sse_reply(stream::unfold((clock, 1), move |(mut clock, number)| async move {
        if number > EVENTS {
            return None;
        }
        clock.tick().await;
        let event = SSEEvent::default().data(services_contract::event(seed, number));
        Some((Ok(event), (clock, number + 1)))
    }))
}
