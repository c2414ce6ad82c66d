//! An answer in pieces. A body of Gotham is one of any type in a box, and of `http_body_util` it re-exports those that are streams.

use std::io;

use futures_util::{StreamExt as _, stream::iter};
use gotham::{
    helpers::http::{Body, response::create_empty_response},
    http::{
        Response, StatusCode,
        header::{CONTENT_TYPE, HeaderValue},
    },
    http_body::Frame,
    http_body_util::StreamBody,
    prelude::*,
    state::State,
};
use serde::Deserialize;
use services_contract::CHUNKS;

#[derive(Deserialize, StateData, StaticResponseExtender)]
pub struct SeedPath {
    seed: u32,
}

pub fn stream(mut state: State) -> (State, Response<Body>) {
    let SeedPath { seed } = SeedPath::take_from(&mut state);
    let chunk = move |index| Ok::<_, io::Error>(Frame::data(services_contract::chunk(seed, index).into()));
    let mut response = create_empty_response(&state, StatusCode::OK);
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    *response.body_mut() = Body::new(StreamBody::new(iter(0..CHUNKS).map(chunk)));
    (state, response)
}
