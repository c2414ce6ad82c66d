//! Answers in pieces: a body that is a stream, and server-sent events.

use std::convert::Infallible;

use actix_web::{
    HttpResponse, Responder,
    http::header::ContentType,
    rt::time::{Instant, interval_at},
    web::{Bytes, Path},
};
use actix_web_lab::sse::{Data, Event, Sse};
use futures_util::{StreamExt as _, stream};
use services_contract::{CHUNKS, EVENT_EVERY, EVENTS};

pub async fn stream(seed: Path<u32>) -> impl Responder {
    let chunk = move |index| Ok::<_, Infallible>(Bytes::from(services_contract::chunk(*seed, index)));
    HttpResponse::Ok()
        .content_type(ContentType::plaintext())
        .streaming(stream::iter(0..CHUNKS).map(chunk))
}

pub async fn events(seed: Path<u32>) -> impl Responder {
    let seed = seed.into_inner();
    // By the clock, and not so long after the one before: a late event does not make the next one late.
    let clock = interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY);
    let events = stream::unfold((clock, 1), move |(mut clock, number)| async move {
        if number > EVENTS {
            return None;
        }
        clock.tick().await;
        let event = Event::Data(Data::new(services_contract::event(seed, number)));
        Some((event, (clock, number + 1)))
    });
    Sse::from_infallible_stream(events)
}
