//! Answers in pieces: a body that is a stream, and server-sent events.

use rocket::{
    get,
    http::ContentType,
    response::stream::{ByteStream, Event, EventStream},
    tokio::time::{Instant, interval_at},
};
use services_contract::{CHUNKS, EVENT_EVERY, EVENTS};

#[get("/stream/<seed>")]
pub fn stream(seed: u32) -> (ContentType, ByteStream![Vec<u8>]) {
    let chunks = ByteStream! {
        for index in 0..CHUNKS {
            yield services_contract::chunk(seed, index);
        }
    };
    (ContentType::Text, chunks)
}

#[get("/events/<seed>")]
pub fn events(seed: u32) -> EventStream![] {
    // By the clock, and not so long after the one before: a late event does not make the next one late.
    let mut clock = interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY);
    EventStream! {
        for number in 1..=EVENTS {
            clock.tick().await;
            yield Event::data(services_contract::event(seed, number));
        }
    }
}
