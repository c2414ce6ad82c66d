//! Answers in pieces: a body that is a stream, and server-sent events.

use std::convert::Infallible;

use futures_util::{StreamExt as _, stream::iter, stream::unfold};
use salvo::{
    Response, Writer as _,
    extract::PathParam,
    handler,
    http::header::{CONTENT_TYPE, HeaderValue},
    sse::{self, SseEvent},
};
use services_contract::{CHUNKS, EVENT_EVERY, EVENTS};
use tokio::time::{Instant, interval_at};

#[handler]
pub async fn stream(seed: PathParam<u32>, response: &mut Response) {
    let seed = seed.into_inner();
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response.stream(iter(0..CHUNKS).map(move |index| Ok::<_, Infallible>(services_contract::chunk(seed, index))));
}

#[handler]
pub async fn events(seed: PathParam<u32>, response: &mut Response) {
    let seed = seed.into_inner();
    // By the clock, and not so long after the one before: a late event does not make the next one late.
    let clock = interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY);
    let numbered = unfold((clock, 1), move |(mut clock, number)| async move {
        if number > EVENTS {
            return None;
        }
        clock.tick().await;
        let event = SseEvent::default().text(services_contract::event(seed, number));
        Some((Ok::<_, Infallible>(event), (clock, number + 1)))
    });
    sse::stream(response, numbered);
}
