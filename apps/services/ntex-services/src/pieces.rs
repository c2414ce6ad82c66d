//! Answers in pieces: a body that is a stream, and server-sent events as such a body, as in ntex's examples.

use std::convert::Infallible;

use futures_util::{StreamExt as _, stream};
use ntex::{
    util::Bytes,
    web::{HttpResponse, Responder, types::Path},
};
use services_contract::{CHUNKS, EVENTS};

use crate::clock::clock;

pub async fn stream(seed: Path<u32>) -> impl Responder {
    let chunk = move |index| Ok::<_, Infallible>(Bytes::from(services_contract::chunk(*seed, index)));
    HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .streaming(stream::iter(0..CHUNKS).map(chunk))
}

pub async fn events(seed: Path<u32>) -> impl Responder {
    let seed = seed.into_inner();
    let events = stream::unfold((clock(), 1), move |(mut clock, number)| async move {
        if number > EVENTS {
            return None;
        }
        clock.tick().await;
        let event = format!("data: {}\n\n", services_contract::event(seed, number));
        Some((Ok::<_, Infallible>(Bytes::from(event)), (clock, number + 1)))
    });
    HttpResponse::Ok()
        .content_type("text/event-stream")
        .streaming(Box::pin(events))
}
