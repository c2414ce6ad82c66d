//! Answers in pieces: a body that is read as it is sent, and server-sent events.

use std::{io, time::Instant};

use async_std::task;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use services_contract::{CHUNKS, EVENT_EVERY, EVENTS};
use tide::{Body, Request, Response, Result, StatusCode, http::mime, sse};

use crate::routes::seed;

pub async fn streamed(request: Request<()>) -> Result<Response> {
    let seed = seed(&request)?;
    let chunks = stream::iter(0..CHUNKS).map(move |index| Ok::<_, io::Error>(services_contract::chunk(seed, index)));
    Ok(Response::builder(StatusCode::Ok)
        .body(Body::from_reader(chunks.into_async_read(), None))
        .content_type(mime::PLAIN)
        .build())
}

/// Tide's events always have a name, of which this is the one that an event without a name has.
const NAME: &str = "message";

pub async fn events(request: Request<()>) -> Result<Response> {
    let seed = seed(&request)?;
    let begin = Instant::now();
    Ok(sse::upgrade(request, move |_, sender| async move {
        for number in 1..=EVENTS {
            // By the clock, and not so long after the one before: a late event does not make the next one late.
            let due = begin + EVENT_EVERY * number;
            task::sleep(due.saturating_duration_since(Instant::now())).await;
            sender.send(NAME, services_contract::event(seed, number), None).await?;
        }
        Ok(())
    }))
}
